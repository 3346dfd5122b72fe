// The columns as they were read, and what the user made of them.

import { $, make, notes } from "./dom.js";
import { orderList } from "./order.js";

const PAGE = 100;
const KINDS = { number: "number", nominal: "categories", ordered: "ordered categories", date: "date", duration: "duration", interval: "interval" };
const USES = { "": "feature", keep: "always select", drop: "exclude", groups: "rows that belong together", time: "time", weights: "weights" };
const SINGLE = ["groups", "time", "weights"];

let limit = PAGE;
let current = null;
let changed = () => {};

export function watchColumns(whenChanged) {
  changed = whenChanged;
  $("search").addEventListener("input", () => {
    limit = PAGE;
    show();
  });
  $("more").addEventListener("click", () => {
    limit += PAGE;
    show();
  });
}

// What was chosen for a file; it is kept while other files are looked at.
export const emptyDraft = (target) => ({ target, order: "", classes: {}, kinds: {}, orders: {}, uses: {}, fields: {} });

export function showColumns(table, draft) {
  current = { table, draft, excluded: {} };
  forgetOthers(new Set(table.columns.map((each) => each.name)));
  const rows = table.n_rows.toLocaleString("en");
  $("shape").textContent = `${table.source}: ${rows} rows, ${table.columns.length.toLocaleString("en")} columns`;
  notes($("read-notes"), table.notes, (each) => table.doubts.includes(each));
  show();
}

// Columns may be others after the file was read in another way.
function forgetOthers(names) {
  for (const chosen of [current.draft.kinds, current.draft.uses, current.draft.orders]) {
    Object.keys(chosen).filter((name) => !names.has(name)).forEach((name) => delete chosen[name]);
  }
}

// Columns that a run will leave out by itself, and why.
export function markExcluded(reasons) {
  current.excluded = reasons;
  for (const row of $("table").tBodies[0].rows) {
    const note = row.querySelector(".why");
    if (note) note.textContent = why(note.dataset.column);
  }
}

function why(name) {
  const { draft, excluded } = current;
  return name !== draft.target && !draft.uses[name] && excluded[name] ? `excluded: ${excluded[name]}` : "";
}

export function show() {
  if (!current) return;
  const wanted = $("search").value.trim().toLowerCase();
  const found = current.table.columns.filter((each) => each.name.toLowerCase().includes(wanted));
  $("table").tBodies[0].replaceChildren(...found.slice(0, limit).flatMap(rowsOf));
  $("more").hidden = found.length <= limit;
  $("shown").textContent = found.length === current.table.columns.length ? "" : `${found.length} found`;
}

function rowsOf(column) {
  const { draft } = current;
  const isTarget = column.name === draft.target;
  const more = column.distinct > column.examples.length ? ", \u2026" : "";
  const row = make("tr", {},
    make("th", { scope: "row" }, column.name),
    make("td", {}, isTarget ? KINDS[column.kind] : kindControl(column)),
    make("td", { class: "n" }, column.missing ? column.missing.toLocaleString("en") : ""),
    make("td", { class: "examples" }, column.examples.join(", ") + more),
    make("td", {}, isTarget ? "target" : useControl(column),
      make("div", { class: "why quiet", "data-column": column.name }, why(column.name))));
  row.className = isTarget ? "is-target" : draft.uses[column.name] || "";
  return isTarget || draft.kinds[column.name] !== "ordered" ? [row] : [row, orderRow(column.name)];
}

function orderRow(name) {
  const { draft } = current;
  const list = orderList(draft.orders[name], `Order of ${name}, lowest first`, (labels) => {
    draft.orders[name] = labels;
    changed();
  });
  return make("tr", { class: "order-row" }, make("td", { class: "wide", colSpan: 5 }, make("p", { class: "quiet" }, `${name}, lowest first:`), list));
}

function kindControl(column) {
  const { draft } = current;
  const others = column.kind === "number" ? ["nominal"] : column.kind === "nominal" && column.values ? ["ordered"] : [];
  if (!others.length) return KINDS[column.kind];
  const control = select([column.kind, ...others].map((kind) => [kind, KINDS[kind]]), draft.kinds[column.name] || column.kind);
  control.setAttribute("aria-label", `Kind of ${column.name}`);
  control.addEventListener("change", () => {
    const row = control.closest("tr");
    if (row.nextSibling && row.nextSibling.className === "order-row") row.nextSibling.remove();
    if (control.value === column.kind) delete draft.kinds[column.name];
    else draft.kinds[column.name] = control.value;
    if (control.value === "ordered") {
      draft.orders[column.name] = column.looks_ordered || column.values;
      row.after(orderRow(column.name));
    }
    changed();
  });
  return control;
}

function useControl(column) {
  const { draft } = current;
  const control = select(Object.entries(USES), draft.uses[column.name] || "");
  control.setAttribute("aria-label", `Use of ${column.name}`);
  control.addEventListener("change", () => {
    const row = control.closest("tr");
    if (SINGLE.includes(control.value)) free(control.value);
    if (control.value) draft.uses[column.name] = control.value;
    else delete draft.uses[column.name];
    row.className = control.value;
    row.querySelector(".why").textContent = why(column.name);
    changed();
  });
  return control;
}

// A role that one column has becomes free for another.
function free(role) {
  const { draft } = current;
  for (const name of Object.keys(draft.uses).filter((each) => draft.uses[each] === role)) {
    delete draft.uses[name];
    const other = Array.from($("table").querySelectorAll("select")).find((each) => each.getAttribute("aria-label") === `Use of ${name}`);
    if (other) other.value = "";
  }
}

export function select(choices, value) {
  const control = make("select", {}, ...choices.map(([key, text]) => make("option", { value: key }, text)));
  control.value = value;
  return control;
}

export function columnNamed(name) {
  return current ? current.table.columns.find((each) => each.name === name) : undefined;
}

// The options of the command, as they were chosen.
export function options(draft) {
  const used = (use) => Object.keys(draft.uses).filter((name) => draft.uses[name] === use && name !== draft.target);
  const kinds = Object.keys(draft.kinds).filter((name) => name !== draft.target && draft.uses[name] !== "drop" && !SINGLE.includes(draft.uses[name]));
  const chosen = {
    ...draft.fields,
    target: draft.target,
    categorical: kinds.filter((name) => draft.kinds[name] === "nominal"),
    ordered: kinds.filter((name) => draft.kinds[name] === "ordered").map((name) => ({ columns: [name], values: draft.orders[name] })),
    drop: used("drop"),
    keep: used("keep"),
    unordered: draft.order === "none",
  };
  if (draft.order === "order") chosen.class_order = draft.classes[draft.target];
  for (const role of SINGLE) [chosen[role] = ""] = used(role);
  if (!chosen.weights) delete chosen.weights_are;
  chosen.missing = (draft.fields.missing || "").split("\n").map((line) => line.trim()).filter(Boolean);
  return chosen;
}
