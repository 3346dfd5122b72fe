// Making elements.  Text is always text: nothing in this page is made by parsing markup.

export const $ = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && !name.includes("-")) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// A sentence of the command.  The options in it lead to their places in the page.
export function said(sentence) {
  return sentence.split(/((?<![\w-])--[a-z]+(?:-[a-z]+)*)/).map((part) => {
    const place = part.startsWith("--") && placeOf(part.slice(2));
    if (!place) return part;
    const where = place.labels && place.labels.length ? place.labels[0].firstChild.textContent.trim() : "";
    const title = `Go to its place in this page${where && `: ${where}`}`;
    return make("button", { type: "button", class: "option", title, onclick: () => goTo(place) }, part);
  });
}

const ELSEWHERE = { categorical: "table", ordered: "table", drop: "table", keep: "table", groups: "table", time: "table", weights: "table" };

function placeOf(option) {
  const control = document.querySelector(`[data-option="${option}"]`);
  return control || (option in ELSEWHERE ? document.querySelector("#table select") : null);
}

function goTo(control) {
  const folded = control.closest("details");
  if (folded) folded.open = true;
  control.focus();
  control.scrollIntoView({ block: "center" });
}

// New children in the place of old ones, but for those that stay as they are: the focus of whoever
// uses the keyboard is on one of them.
export function refill(element, children) {
  children.forEach((child, place) => {
    const old = element.childNodes[place];
    const made = typeof child === "string" ? document.createTextNode(child) : child;
    if (!old) element.append(made);
    else if (old.tagName === "UL" && made.tagName === "UL") refill(old, Array.from(made.childNodes));
    else if (!old.isEqualNode(made)) old.replaceWith(made);
  });
  while (element.childNodes.length > children.length) element.lastChild.remove();
}

export function notes(list, sentences, warned = () => false) {
  const known = Array.from(new Set(sentences));
  list.replaceChildren(...known.map((each) => make("li", { class: warned(each) ? "warning" : "" }, ...said(each))));
}

// Said aloud to those who do not look.
export function tell(sentence) {
  if ($("live").textContent !== sentence) $("live").textContent = sentence;
}

export function warn(element, sentence) {
  element.hidden = !sentence;
  element.replaceChildren(...said(sentence));
}
