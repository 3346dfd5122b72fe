"use strict";
// Sorting, searching and paging of the table, values at the curves, light and dark.
(function () {
  const table = JSON.parse(document.getElementById("data").textContent);
  const body = document.querySelector("#features tbody");
  const headings = Array.from(document.querySelectorAll("#features thead button"));
  const search = document.getElementById("search");
  const keptOnly = document.getElementById("kept-only");
  const more = document.getElementById("more");
  const count = document.getElementById("count");
  const PAGE = 200;

  // Rows that stand in the page are moved around; the others are made when first needed.
  const ready = Array.from(body.rows);
  let sorted = table.rows.map((row, place) => place);
  let column = 0;
  let upwards = true;
  let limit = PAGE;

  function format(value) {
    if (value === null || typeof value === "string") return value || "";
    const size = Math.abs(value);
    if (Number.isInteger(value) || size >= 1000) return Math.round(value).toLocaleString("en");
    return size < 1e-4 ? value.toExponential(2) : value.toPrecision(3);
  }

  function makeRow(values) {
    const row = document.createElement("tr");
    if (values[0]) row.className = "is-kept";
    row.insertCell().textContent = values[0] ? "\u2713" : "";
    table.columns.forEach((entry, k) => {
      const cell = row.insertCell();
      const value = values[k + 1];
      if (entry.kind === "number") cell.className = "n";
      if (entry.bar && value !== null) {
        const bar = document.createElement("i");
        bar.className = "bar";
        bar.style.width = 60 * Math.min(1, Math.max(0, value) / entry.bar) + "px";
        cell.append(bar);
      }
      const text = entry.percent && value !== null ? Math.round(100 * value) + " %" : format(value);
      if (entry.key === "name") {
        const name = document.createElement("span");
        name.className = "name";
        name.textContent = text;
        cell.append(name);
      } else cell.append(text);
    });
    row.insertCell();
    return row;
  }

  function rowAt(place) {
    if (!ready[place]) ready[place] = makeRow(table.rows[place]);
    return ready[place];
  }

  function wanted(place) {
    const values = table.rows[place];
    if (keptOnly.checked && !values[0]) return false;
    return String(values[2]).toLowerCase().includes(search.value.trim().toLowerCase());
  }

  function show() {
    const places = sorted.filter(wanted);
    body.replaceChildren(...places.slice(0, limit).map(rowAt));
    const hidden = Math.max(0, places.length - limit);
    more.hidden = hidden === 0;
    more.textContent = "Show " + Math.min(hidden, PAGE).toLocaleString("en") + " more";
    count.textContent = places.length.toLocaleString("en") + " of " + table.rows.length.toLocaleString("en");
  }

  function compare(a, b) {
    const first = table.rows[a][column + 1];
    const second = table.rows[b][column + 1];
    // What is missing comes last, whichever way the rest is sorted.
    if (first === null || second === null) return (first === null) - (second === null) || a - b;
    const order = typeof first === "string" ? first.localeCompare(second) : first - second;
    return (upwards ? order : -order) || a - b;
  }

  function sortBy(k) {
    const startsHigh = table.columns[k].kind === "number" && !/^rank/.test(table.columns[k].title) && k > 0;
    upwards = k === column ? !upwards : !startsHigh;
    column = k;
    sorted.sort(compare);
    headings.forEach((button, j) => {
      if (j === k) button.parentNode.setAttribute("aria-sort", upwards ? "ascending" : "descending");
      else button.parentNode.removeAttribute("aria-sort");
    });
    limit = PAGE;
    show();
  }

  headings.forEach((button, k) => button.addEventListener("click", () => sortBy(k)));
  [search, keptOnly].forEach((control) => control.addEventListener("input", () => {
    limit = PAGE;
    show();
  }));
  more.addEventListener("click", () => {
    limit += PAGE;
    show();
  });
  show();

  // Values at the curves: the point nearest to the pointer, or the one with the focus.
  const curve = document.getElementById("curve");
  const tip = document.getElementById("tip");
  const dots = Array.from(curve.querySelectorAll(".dot"));

  function point(dot) {
    dots.forEach((each) => each.classList.toggle("near", each === dot));
    tip.hidden = !dot;
    if (!dot) return;
    tip.textContent = dot.getAttribute("aria-label");
    const frame = curve.parentNode.getBoundingClientRect();
    const spot = dot.getBoundingClientRect();
    const left = spot.left - frame.left + 12;
    tip.style.left = Math.max(0, Math.min(left, frame.width - tip.offsetWidth)) + "px";
    tip.style.top = Math.max(0, spot.top - frame.top - tip.offsetHeight - 8) + "px";
  }

  function nearest(event) {
    let best = null;
    let smallest = 60 * 60;
    dots.forEach((dot) => {
      const spot = dot.getBoundingClientRect();
      const across = spot.left + spot.width / 2 - event.clientX;
      const along = spot.top + spot.height / 2 - event.clientY;
      if (across * across + along * along < smallest) {
        smallest = across * across + along * along;
        best = dot;
      }
    });
    return best;
  }

  curve.addEventListener("pointermove", (event) => point(nearest(event)));
  curve.addEventListener("pointerleave", () => point(null));
  dots.forEach((dot) => {
    dot.addEventListener("focus", () => point(dot));
    dot.addEventListener("blur", () => point(null));
  });

  // A table wider than the page fades out where it goes on, and a line above says so.
  const scrolled = Array.from(document.querySelectorAll(".scroll"));
  function mark() {
    scrolled.forEach((part) => {
      const hidden = part.scrollWidth - part.clientWidth;
      part.previousElementSibling.hidden = hidden <= 2;
      part.classList.toggle("cut", hidden - part.scrollLeft > 2);
    });
  }
  scrolled.forEach((part) => part.addEventListener("scroll", mark, { passive: true }));
  window.addEventListener("resize", mark);
  mark();

  // The reader's choice of light or dark is kept where the browser allows it.
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  function setTheme(theme) {
    root.dataset.theme = theme;
    try { localStorage.setItem("echelon-theme", theme); } catch (error) { /* not allowed here */ }
  }
  try {
    const kept = localStorage.getItem("echelon-theme");
    if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  } catch (error) { /* not allowed here */ }
  document.getElementById("theme").addEventListener("click", () => {
    const now = root.dataset.theme || (dark.matches ? "dark" : "light");
    setTheme(now === "dark" ? "light" : "dark");
  });
})();
