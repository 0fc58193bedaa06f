// Search without a server: from a folder no page may start a worker, so what was to run in one runs in a frame.
"use strict";
if (location.protocol === "file:") {
  const quoted = (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;");
  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = this.onerror = this.onmessageerror = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "search";
      document.body.appendChild(this.frame);
      const inside = this.frame.contentWindow;
      const address = new URL(url, location.href).href;
      inside.document.open();
      inside.document.write(`<!doctype html><title>search</title><script>
        var loading = Promise.resolve();
        var importScripts = (...urls) => urls.reduce((before, url) => before.then(() => new Promise((done, failed) => {
          const script = document.createElement("script");
          Object.assign(script, { src: new URL(url, ${JSON.stringify(address)}), onload: done, onerror: failed });
          document.body.appendChild(script);
        })), loading);
        window.postMessage = (data) => window.answer(data);
      </script><body><script src="${quoted(address)}"></script></body>`);
      inside.document.close();
      inside.answer = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      this.ready = new Promise((done) => this.frame.addEventListener("load", done, { once: true }));
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  }
  window.Worker = FrameWorker;
}
