"use strict";
(() => {
  const tools = document.getElementById("tools");
  const tables = [...document.querySelectorAll("table.compared")];
  const bodies = tables.flatMap((table) => [...table.tBodies]);
  const pictures = [...document.querySelectorAll("details.benchmark")];
  const rows = [...document.querySelectorAll("main tbody tr")].filter((row) => row.querySelector("td.name"));
  const text = new Map();
  const place = new Map();
  for (const row of rows) text.set(row, (row.querySelector(".self") ?? row.querySelector("td.name")).textContent.toLowerCase());
  for (const picture of pictures) text.set(picture, picture.querySelector("h3").textContent.toLowerCase());
  [...rows, ...pictures].forEach((item, index) => place.set(item, index));
  const kindOf = new Map(rows.filter((row) => row.dataset.kind).map((row) => [`${row.id}-forks`, row.dataset.kind]));

  const make = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const choice = (label, options) => {
    const select = make("select", {}, ...options.map(([value, words]) => make("option", { value }, words)));
    tools.append(make("label", {}, label, select));
    return select;
  };

  const reveal = () => {
    let name = "";
    try {
      name = decodeURIComponent(location.hash.slice(1));
    } catch {
      return;
    }
    const target = name && document.getElementById(name);
    if (!target) return;
    for (let around = target; around; around = around.parentElement) {
      if (around.tagName === "DETAILS") around.open = true;
      around.hidden = false;
    }
    target.scrollIntoView();
  };

  if (text.size > 1) {
    const search = make("input", { type: "search", placeholder: "name or parameter" });
    tools.append(make("label", {}, "Search", search));
    const kinds = [...new Set(rows.map((row) => row.dataset.kind).filter(Boolean))];
    const kind = choice("Show", [["", "all"], ...kinds.map((one) => [one, one])]);
    const order = choice("Sort by", [["", "importance"], ["name", "name"], ["change", "size of change"], ["base", "base"]]);
    const count = make("output", {});
    tools.append(count);

    const keys = {
      name: (item) => text.get(item),
      change: (item) => -Math.abs(Number(item.dataset.change ?? 0)),
      base: (item) => -Number(item.dataset.base ?? 0),
      "": (item) => place.get(item),
    };
    const wanted = (item, words) =>
      words.every((word) => text.get(item).includes(word)) &&
      (!kind.value || (item.dataset.kind ?? kindOf.get(item.id)) === kind.value);

    const filter = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const asked = words.length > 0 || kind.value !== "";
      let left = 0;
      for (const item of text.keys()) {
        item.hidden = asked && !wanted(item, words);
        if (item.dataset.kind && !item.hidden) left += 1;
      }
      for (const part of document.querySelectorAll("main tbody, section.chapter")) {
        const own = rows.filter((row) => part.contains(row));
        if (own.length) part.hidden = own.every((row) => row.hidden);
      }
      for (const chapter of document.querySelectorAll("details.chapter")) {
        if (chapter.dataset.before === undefined) chapter.dataset.before = chapter.open ? "open" : "";
        const found = chapter.querySelector("tbody tr:not([hidden]) td.name, details.benchmark:not([hidden])");
        chapter.open = asked ? Boolean(found) : chapter.dataset.before === "open";
        if (!asked) delete chapter.dataset.before;
      }
      const total = kindOf.size;
      count.textContent = asked && total ? `${left} of ${total} compared` : "";
    };
    const sort = () => {
      const key = keys[order.value];
      const compare = (a, b) => {
        const [left, right] = [key(a), key(b)];
        return left < right ? -1 : left > right ? 1 : place.get(a) - place.get(b);
      };
      for (const body of bodies) {
        const own = [...body.rows].filter((row) => text.has(row)).sort(compare);
        body.append(...own);
      }
    };
    let waiting = 0;
    search.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(filter, 120);
    });
    kind.addEventListener("change", filter);
    order.addEventListener("change", sort);
  }
  addEventListener("hashchange", reveal);
  reveal();
})();
