// What every page needs: fragments, live updates and the small habits of the frame.

import htmx from "htmx.org";
import "./live.js";
import "./frame.js";
import "./hands.js";

declare global {
  interface Window {
    htmx: typeof htmx;
  }
}
window.htmx = htmx;

if (document.getElementById("alarm-count") || document.querySelector("[data-alarm-sound]"))
  void import("./alarm_sound.js").then(({ startSound }) => startSound());

// Signed in: the page also works without network, but it need not wait for that.
if (document.querySelector("meta[name=person]"))
  void import("./offline.js").then(({ startOffline }) => startOffline());
else if (document.querySelector("meta[name=tablet]"))
  void import("./entry_keys.js").then(({ dropKeys }) => dropKeys());
