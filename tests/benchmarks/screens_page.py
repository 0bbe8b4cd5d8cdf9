"""What is put into a page before its own scripts, to note when it hears and draws."""

PROBE = """(() => {
  const now = () => performance.timeOrigin + performance.now();
  const fresh = () => ({ seen: [], frames: [], paints: [], heard: [] });
  window.probe = fresh();
  window.startProbe = () => { window.probe = fresh(); requestAnimationFrame(tick); };
  const plainFrame = window.requestAnimationFrame.bind(window);
  let painted = 0;
  // What the page itself does in its frames.
  window.requestAnimationFrame = (paint) => plainFrame((at) => {
    const begun = performance.now();
    paint(at);
    if (paint !== tick) window.probe.paints.push(performance.now() - begun);
  });
  function tick(at) { window.probe.frames.push(at); plainFrame(tick); }
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", (event) => this.note(event));
    }
    note(event) {
      const number = /^.{0,30}"seq":(\\d+)/.exec(event.data);
      if (!number) return;
      const heard = now();
      plainFrame(() => {
        const { port1, port2 } = new MessageChannel();
        const row = [Number(number[1]), heard, 0, 0];
        port1.onmessage = () => { row[2] = now(); };
        port2.postMessage(0);
        plainFrame(() => { row[3] = now(); window.probe.seen.push(row); });
      });
    }
    set onmessage(listener) {
      super.onmessage = (event) => {
        const begun = performance.now();
        listener(event);
        window.probe.heard.push(performance.now() - begun);
      };
    }
  };
})()"""
"""Rows of `seen` are a message's number and, in milliseconds of the day, when it was heard, when the frame that shows
it was drawn and a task after that began, and when the next frame began."""

START_PROBE = "window.startProbe()"
