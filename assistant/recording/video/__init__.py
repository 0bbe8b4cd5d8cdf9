"""Video: the camera's pictures beside a journal, encoded, laid into MPEG-TS segments, and read again."""
