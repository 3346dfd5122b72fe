// Asking the server.  Its errors are sentences, to be shown as they are.

import { $ } from "./dom.js";

export class Refused extends Error {}

let gone = false;
export const isGone = () => gone;

function leave() {
  gone = true;
  $("gone").hidden = false;
  $("gone").textContent =
    "The server has stopped: nothing more can be computed or downloaded, and its files are deleted. Run 'echelon app' again.";
  document.querySelectorAll("button, input, select, textarea").forEach((control) => {
    if (!control.closest(".report")) control.disabled = true;
  });
  document.querySelectorAll("progress").forEach((bar) => bar.remove());
  document.querySelectorAll(".links a").forEach((link) => link.removeAttribute("href"));
  $("gone").scrollIntoView({ block: "nearest" });
}

async function ask(method, path, body, headers = {}) {
  if (gone) throw new Refused("The server has stopped.");
  let answer;
  try {
    answer = await fetch(path, { method, body, headers, cache: "no-store" });
  } catch (error) {
    leave();
    throw new Refused("The server has stopped.");
  }
  if (answer.status === 204) return null;
  const held = await answer.json().catch(() => ({ error: "The server gave no answer. Run 'echelon app' again." }));
  if (!answer.ok) throw new Refused(held.error);
  return held;
}

export const get = (path) => ask("GET", path);
export const remove = (path) => ask("DELETE", path);
export const post = (path, value = {}) => ask("POST", path, JSON.stringify(value), { "Content-Type": "application/json" });
export const put = (path, content) => ask("PUT", path, content, { "Content-Type": "application/octet-stream" });
export { leave };

const pause = (time) => new Promise((done) => setTimeout(done, time));

// What a job found, once it has; null if it was cancelled, or is not wanted any more.
export async function found(job, wanted = () => true) {
  for (;;) {
    if (!wanted()) return null;
    const now = await get(`jobs/${job.id}`);
    if (now.state === "failed") throw new Refused(now.error);
    if (now.state === "cancelled") return null;
    if (now.state === "done") return now;
    await pause(150);
  }
}
