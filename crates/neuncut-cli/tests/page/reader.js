// A reader of the page: uses every control and leaves what it saw in an element.
(async () => {
  const seen = {};
  const $ = (query) => document.querySelector(query), all = (query) => [...document.querySelectorAll(query)];
  const set = (query, value, event) => { $(query).value = value; $(query).dispatchEvent(new Event(event)); };
  const visible = () => all("#clusters tr[data-node]").filter((line) => !line.hidden);
  const sizeOf = (line) => Number(line.querySelector("td b").textContent.replaceAll(",", ""));
  const colours = () => all("#map path").map((mark) => getComputedStyle(mark).color);
  const width = () => $("#map").viewBox.baseVal.width;
  const download = async () => {
    let blob = null;
    const real = URL.createObjectURL;
    URL.createObjectURL = (made) => { blob = made; return real(made); };
    $("#download").dispatchEvent(new MouseEvent("click", { cancelable: true }));
    URL.createObjectURL = real;
    return blob.text();
  };
  seen.ready = document.documentElement.dataset.ready;
  seen.marks = all("#map path").length;
  seen.panels = all(".nn-panels svg").length;
  seen.figures = $(".nn-figures").textContent;
  seen.wide = document.documentElement.scrollWidth <= innerWidth;
  seen.confusion = all("#confusion tbody td").length;
  seen.differs = all(".nn-differs span").length;
  seen.images = all("#clusters .nn-image").length;
  seen.first = visible().length;
  if (!$("#more").hidden) $("#more").click();
  seen.lines = visible().length;
  const boxes = all("#names span").map((name) => name.getBoundingClientRect());
  seen.names = boxes.length;
  const buttons = $(".nn-zoom").getBoundingClientRect();
  seen.covered = boxes.filter((box) => box.right > buttons.left && box.top < buttons.bottom).length;
  seen.examples = all(".nn-example b").length;
  seen.overlap = boxes.filter((a, at) => boxes.some((b, other) => other < at &&
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;

  // colours
  const before = colours().join();
  seen.colours = [...$("#colour").options].map((option) => option.value);
  seen.repainted = seen.colours.slice(1).map((name) => { set("#colour", name, "change"); return colours().join() !== before; });
  seen.legend = all("#legend span").length;
  seen.legendAbove = $("#legend").getBoundingClientRect().bottom <= $("#map").getBoundingClientRect().top;
  seen.listRepainted = all("#chosen .nn-list .nn-dot").every((dot) => dot.style.color !== "");
  set("#colour", "cluster", "change");
  seen.back = colours().join() === before;

  // choosing
  const button = $("tr[data-node='1'] button");
  button.click();
  seen.off = all("#map .nn-off").length;
  seen.detail = all(".nn-detail").length;
  seen.expanded = all("tr[data-node]").filter((line) => line.querySelector("[aria-expanded=true]")).map((line) => line.dataset.node);
  seen.aside = $("#chosen").textContent;
  button.click();
  seen.offAgain = all("#map .nn-off").length;
  seen.detailAgain = all(".nn-detail").length;

  // pointing and clicking
  const point = (type, more) => {
    const box = all("#map path")[0].getBoundingClientRect();
    const at = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true, pointerId: 1, ...more };
    $("#map").dispatchEvent(new PointerEvent(type, at));
    return at;
  };
  const middle = point("pointermove");
  seen.tip = $("#tip").hidden ? null : $("#tip").textContent;
  seen.pointed = $("#map path.nn-at").closest("g").dataset.cluster;
  point("pointerleave");
  seen.tipGone = $("#tip").hidden;
  point("pointerdown");
  point("pointerup");
  seen.clicked = all("tr[data-node]").filter((line) => line.querySelector("[aria-expanded=true]")).map((line) => line.dataset.node)[0];
  $("#chosen button").click();

  // zoom
  seen.whole = width();
  $("#zoom-in").click();
  seen.zoomed = width();
  $("#map").dispatchEvent(new KeyboardEvent("keydown", { key: "+" }));
  seen.keyed = width();
  const wheel = new WheelEvent("wheel", { deltaY: -100, ctrlKey: true, cancelable: true, clientX: middle.clientX, clientY: middle.clientY });
  $("#map").dispatchEvent(wheel);
  seen.wheeled = width();
  const finger = (type, pointerId, clientX) => point(type, { pointerId, clientX, clientY: 300 });
  finger("pointerdown", 1, 100);
  finger("pointerdown", 2, 150);
  finger("pointermove", 2, 220);
  finger("pointerup", 1, 100);
  finger("pointerup", 2, 220);
  seen.pinched = width();
  $("#zoom-all").click();
  seen.reset = width();

  // sorting and searching
  $("[data-sort=size]").click();
  seen.sizes = visible().map(sizeOf);
  $("[data-sort=size]").click();
  seen.upwards = visible().map(sizeOf);
  seen.sorted = $("[data-sort=size]").closest("th").getAttribute("aria-sort");
  set("#search", "no such thing at all", "input");
  seen.foundNone = visible().length;
  seen.foundText = $("#found").textContent;
  seen.foundAside = $("#chosen").textContent.includes("No cluster has");
  set("#search", "alphaa", "input");
  seen.foundWord = visible().length;
  set("#search", "", "input");
  seen.foundBack = visible().length;
  seen.csv = await download();

  // levels
  seen.stops = stops();
  if ($("#level")) {
    set("#level", "0", "input");
    seen.coarse = visible().length;
    seen.coarseText = $("#level-text").textContent;
    seen.coarseSum = visible().map(sizeOf).reduce((a, b) => a + b, 0);
    seen.coarseColours = new Set(colours()).size;
    seen.leaves = all("#leaves button").length;
    seen.coarseLabels = [...new Set((await download()).trim().split("\n").slice(1).map((line) => line.split(",")[1]))].sort();
  }
  seen.problems = window.problems;
  const outcome = document.createElement("pre");
  outcome.id = "outcome";
  outcome.textContent = JSON.stringify(seen);
  document.body.append(outcome);
  function stops() { return $("#level") ? Number($("#level").max) + 1 : 1; }
})();
