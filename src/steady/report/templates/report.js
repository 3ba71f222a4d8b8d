"use strict";
(() => {
  const tools = document.getElementById("tools");
  const tables = [...document.querySelectorAll("table.compared")];
  const bodies = tables.flatMap((table) => [...table.tBodies]);
  const pictures = [...document.querySelectorAll("details.benchmark")].filter((one) => one.querySelector("h3"));
  const rows = [...document.querySelectorAll("main tbody tr")].filter((row) => row.querySelector("td.name"));
  const text = new Map();
  const place = new Map();
  for (const row of rows) text.set(row, (row.querySelector(".self") ?? row.querySelector("td.name")).textContent.toLowerCase());
  for (const picture of pictures) text.set(picture, picture.querySelector("h3").textContent.toLowerCase());
  [...rows, ...pictures].forEach((item, index) => place.set(item, index));
  const kindOf = new Map(rows.filter((row) => row.dataset.kind).map((row) => [`${row.id}-forks`, row.dataset.kind]));

  // The unfolded part of a row is a separate row below it.
  const below = (row) => (row.nextElementSibling?.matches("tr.below-row") ? row.nextElementSibling : null);

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
    const unfolded = target.tagName === "TR" && below(target);
    if (unfolded) {
      unfolded.hidden = false;
      unfolded.querySelectorAll("details").forEach((one) => { one.open = true; });
    }
    target.scrollIntoView();
  };

  if (text.size > 1) {
    const search = make("input", { type: "search", placeholder: "name or parameter" });
    tools.append(make("label", {}, "Search", search));
    const kinds = [...new Set(rows.map((row) => row.dataset.kind).filter(Boolean))];
    const kind = choice("Show", [["", "all"], ...kinds.map((one) => [one, one])]);
    const orders = tools.dataset.orders.split(",").map((one) => one.split(":")).map(([key, words]) => [key, words ?? key]);
    const order = choice("Sort by", [["", tools.dataset.first], ...orders]);
    const count = make("output", {});
    tools.append(count);

    const keyOf = (item) => {
      if (order.value === "") return place.get(item);
      return order.value === "name" ? text.get(item) : -Math.abs(Number(item.dataset[order.value] ?? 0));
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
        if (below(item)) below(item).hidden = item.hidden;
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
      count.textContent = asked && total ? `${left} of ${total} ${tools.dataset.counted}` : "";
    };
    const sort = () => {
      const compare = (a, b) => {
        const [left, right] = [keyOf(a), keyOf(b)];
        return left < right ? -1 : left > right ? 1 : place.get(a) - place.get(b);
      };
      for (const body of bodies) {
        const own = [...body.rows].filter((row) => text.has(row)).sort(compare);
        body.append(...own.flatMap((row) => [row, below(row)].filter(Boolean)));
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
