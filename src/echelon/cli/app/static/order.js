// A list that is put in order: by drag and drop, by its buttons, or by the arrow keys.

import { make, tell } from "./dom.js";

export function orderList(labels, title, changed) {
  const list = make("ol", { class: "order", "aria-label": title });
  const names = new Map();

  function item(label) {
    const step = (by, sign, words) =>
      make("button", { type: "button", "aria-label": `Move ${label} ${words}`, onclick: (event) => move(row, by, event.currentTarget) }, sign);
    const row = make("li", {}, make("span", { class: "place" }), make("span", { class: "label" }, label), step(-1, "\u2191", "up"), step(1, "\u2193", "down"));
    names.set(row, label);
    row.addEventListener("keydown", (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      move(row, by, event.target);
    });
    row.addEventListener("pointerdown", (event) => {
      if (event.button === 0 && !event.target.closest("button")) drag(row, event);
    });
    return row;
  }

  const rows = () => Array.from(list.children);

  function number() {
    rows().forEach((row, place) => {
      row.querySelector(".place").textContent = `${place + 1}.`;
    });
  }

  function done(row) {
    number();
    changed(rows().map((each) => names.get(each)));
    tell(`${names.get(row)} is number ${rows().indexOf(row) + 1} of ${list.children.length}`);
  }

  function move(row, by, focused) {
    const other = rows()[rows().indexOf(row) + by];
    if (!other) return;
    list.insertBefore(row, by < 0 ? other : other.nextSibling);
    focused.focus();
    done(row);
  }

  function drag(row, start) {
    start.preventDefault();
    row.classList.add("moving");
    const follow = (event) => {
      const above = rows().filter((each) => each !== row && middle(each) < event.clientY).pop();
      const next = above ? above.nextSibling : list.firstChild;
      if (next !== row) list.insertBefore(row, next);
    };
    const end = () => {
      row.classList.remove("moving");
      document.removeEventListener("pointermove", follow);
      document.removeEventListener("pointerup", end);
      document.removeEventListener("pointercancel", end);
      done(row);
    };
    document.addEventListener("pointermove", follow);
    document.addEventListener("pointerup", end);
    document.addEventListener("pointercancel", end);
  }

  function middle(row) {
    const frame = row.getBoundingClientRect();
    return frame.top + frame.height / 2;
  }

  list.append(...labels.map(item));
  number();
  return list;
}
