"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dot = ([x, y]) => `M${x} ${y}h0`;

  // tables: a heading sorts by its column, the other way round when it is chosen again
  const value = (row, column) => row.cells[column].dataset.value ?? "";
  function order(a, b) {
    if (a === "" || b === "") return (a === "") - (b === "");
    return isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b;
  }
  function sort(table, heading) {
    const column = heading.cellIndex;
    const first = heading.dataset.first || "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const way = heading.getAttribute("aria-sort") === first ? other : first;
    for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", way);
    const rows = [...table.tBodies[0].rows];
    const sign = way === "ascending" ? 1 : -1;
    rows.sort((r, s) => {
      const a = value(r, column), b = value(s, column);
      return a === "" || b === "" ? order(a, b) : sign * order(a, b);
    });
    table.tBodies[0].append(...rows);
  }
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const heading of table.tHead.rows[0].cells) {
      if (heading.hasAttribute("data-unsorted")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading));
      heading.append(button);
    }
  }

  // tables and pictures that are wider than the page: say that there is more
  for (const box of document.querySelectorAll(".scroll")) {
    const cue = document.createElement("p");
    cue.className = "cue";
    cue.hidden = true;
    box.after(cue);
    new ResizeObserver(() => {
      cue.hidden = box.scrollWidth <= box.clientWidth + 1;
      const cells = box.querySelectorAll("thead th:not([data-unsorted])");
      const edge = box.getBoundingClientRect().right;
      const hidden = [...cells].filter((cell) => cell.getBoundingClientRect().right > edge + 1);
      const names = hidden.map((cell) => cell.textContent.trim()).join(", ");
      cue.textContent = names ? `→ scroll sideways for ${names}` : "→ scroll sideways for the rest";
    }).observe(box);
  }

  // pictures
  const choice = (figure) => {
    figure.querySelector(".choose").hidden = false;
    return figure.querySelector("select");
  };
  const place = (svg, event) => {
    const at = new DOMPoint(event.clientX, event.clientY);
    return at.matrixTransform(svg.getScreenCTM().inverse());
  };

  function labelScores(figure, shown) {
    const svg = figure.querySelector("svg"), says = figure.querySelector("output");
    const select = choice(figure), ring = svg.querySelector(".ring");
    const points = () => shown.y[select.selectedIndex].map((y, i) => [shown.x[i], y, i])
      .filter(([, y]) => y !== null);
    const clear = () => { ring.setAttribute("d", ""); says.textContent = ""; };
    select.addEventListener("change", () => {
      svg.querySelector(".dots").setAttribute("d", points().map(dot).join(""));
      clear();
    });
    svg.addEventListener("pointermove", (event) => {
      const at = place(svg, event);
      let nearest = null, least = 400;
      for (const point of points()) {
        const far = (point[0] - at.x) ** 2 + (point[1] - at.y) ** 2;
        if (far < least) [nearest, least] = [point, far];
      }
      if (!nearest) return clear();
      const [x, y, i] = nearest;
      ring.setAttribute("d", `M${x - 6} ${y}a6 6 0 1 0 12 0a6 6 0 1 0 -12 0`);
      const score = shown.scores[select.selectedIndex][i].toFixed(3);
      says.textContent = `${shown.names[i]}: ${score}, ${shown.counts[i]} rows`;
    });
    svg.addEventListener("pointerleave", clear);
  }

  function coOccurrence(figure, shown) {
    const svg = figure.querySelector("svg"), says = figure.querySelector("output");
    const [left, top, width, height] = shown.cells, size = shown.labels.length;
    svg.addEventListener("pointermove", (event) => {
      const at = place(svg, event);
      const i = Math.floor((at.y - top) / height), j = Math.floor((at.x - left) / width);
      says.textContent = "";
      if (i < 0 || j < 0 || i >= size || j >= size) return;
      const both = shown.counts[i][j], rows = shown.counts[i][i];
      const share = rows ? Math.round(100 * both / rows) : 0;
      says.textContent = i === j ? `${shown.labels[i]}: ${rows} rows`
        : `${shown.labels[i]} with ${shown.labels[j]}: ${both} of ${rows} rows (${share}%)`;
    });
    svg.addEventListener("pointerleave", () => { says.textContent = ""; });
  }

  function embedding(figure, shown) {
    const svg = figure.querySelector("svg"), select = choice(figure);
    const places = svg.querySelector(".others").getAttribute("d").match(/M[^M]*/g) || [];
    select.addEventListener("change", () => {
      const chosen = shown[select.selectedIndex].map((i) => places[i]).join("");
      svg.querySelector(".chosen").setAttribute("d", chosen);
    });
  }

  const draw = { labels: labelScores, together: coOccurrence, embedding };
  for (const figure of document.querySelectorAll("figure[data-picture]")) {
    const { picture, set } = figure.dataset;
    draw[picture](figure, data[set][picture]);
  }

  // code: a button that copies it
  for (const box of document.querySelectorAll(".code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const pre = box.querySelector("pre");
      try {
        await navigator.clipboard.writeText(pre.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(pre);
        button.textContent = document.execCommand("copy") ? "Copied" : "Selected: press Ctrl+C";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    box.append(button);
  }
})();
