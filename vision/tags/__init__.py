"""Tags in one picture: detection, corner refinement, change detection, pose estimation."""
