// ---- how a row is shown: as its text, its image or its values
const picture = (at, side) => {
  const [width, height, across] = data.sprite;
  const scale = Math.max(1, Math.floor(side / Math.max(width, height)));
  const [w, h] = [width * scale, height * scale];
  const box = make("span", { class: "nn-image", role: "img", "aria-label": called(data.rows[at]) });
  box.style.cssText = `width:${w}px;height:${h}px;background-size:${across * w}px auto;` +
    `background-position:-${(at % across) * w}px -${Math.floor(at / across) * h}px`;
  return box;
};
const drawing = (values) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 100 40");
  svg.setAttribute("preserveAspectRatio", "none");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const y = (value) => (high > low ? 36 - 32 * (value - low) / (high - low) : 20).toFixed(1);
  const x = (at) => (100 * at / Math.max(values.length - 1, 1)).toFixed(1);
  path.setAttribute("d", values.map((value, at) => (at ? "L" : "M") + x(at) + " " + y(value)).join(""));
  svg.append(path);
  return svg;
};
// the values of a row by name, those first in which its cluster differs
const FEW = 6;
const named = (row) => {
  const differs = (data.nodes[row.cluster].differs || []).map((one) => data.drawn.indexOf(one.column)).filter((at) => at >= 0);
  const order = [...new Set([...differs, ...row.values.keys()])].slice(0, FEW);
  return make("span", { class: "nn-named" },
    ...order.map((at) => make("span", {}, data.columns[data.drawn[at]] + " ", make("b", {}, number(row.values[at])))));
};
const isNamed = () => data.columns.length > 0;
const content = (at, side) => {
  const row = data.rows[at];
  if (data.sprite) return [picture(at, side)];
  if (row.text) return [make("q", {}, row.text)];
  if (!row.values) return [];
  return isNamed() && (row.values.length <= FEW || data.nodes[row.cluster].differs) ? [named(row)] : [drawing(row.values)];
};
const called = (row) => row.id ? `id ${row.id}` : `row ${count(row.row)}`;
const kindOf = (row) => data.sprite ? "nn-picture" : row.text ? "nn-text" : isNamed() ? "nn-text" : "nn-values";
const shownRow = (at, own) => {
  const row = data.rows[at];
  const facts = [called(row), percent(row.confidence)];
  if (own === "uncertain" && row.second !== row.cluster && row.second_confidence >= 0.005) facts.push(`or ${titleOf(row.second)} ${percent(row.second_confidence)}`);
  if (data.classes.length) facts.push(`class ${data.classes[row.class]}`);
  return make("figure", { class: "nn-row " + kindOf(row) }, ...content(at, 56), make("figcaption", {}, ...facts.map((fact) => make("span", {}, ...breakable(fact)))));
};

// ---- everything about one cluster; rows that are certain are not the least certain ones
const CERTAIN = 0.995;
const strip = (title, rows, own) =>
  rows.length ? [make("h4", {}, title), make("div", { class: "nn-strip" }, ...rows.map((at) => shownRow(at, own)))] : [];
const differences = (node) => make("table", { class: "nn-plain" },
  make("thead", {}, make("tr", {}, ...["Differs most in", "mean here", "of all rows"].map((head, at) =>
    make("th", at ? { scope: "col", class: "nn-number" } : { scope: "col" }, head)))),
  make("tbody", {}, ...node.differs.map((one) => make("tr", {}, make("th", { scope: "row" }, data.columns[one.column]),
    make("td", { class: "nn-number" }, number(one.mean) + " ", make("small", {}, signed(one.mean - one.overall))),
    make("td", { class: "nn-number" }, number(one.overall))))));
const detail = (at, most, words) => {
  const node = data.nodes[at];
  const parts = [];
  if (words && node.words) parts.push(make("p", { class: "nn-words" }, node.words.join(", ")));
  if (node.members.length > 1) {
    const names = node.members.slice(0, 24).map((cluster) => titleOf(cluster)).join(", ");
    parts.push(make("p", {}, `${node.members.length} clusters: ${names}${node.members.length > 24 ? ", \u2026" : ""}`));
  }
  if (node.differs) parts.push(differences(node));
  if (!node.size) parts.push(make("p", {}, "No row is in it."));
  return [...parts, ...strip("Most typical", node.typical.slice(0, most)), ...strip("Least certain", node.uncertain.filter((row) => data.rows[row].confidence < CERTAIN).slice(0, most), "uncertain")];
};
const facts = (node) => `${count(node.size)} rows, ${percent(node.share)}; confidence ${node.confidence.toFixed(2)}`;
