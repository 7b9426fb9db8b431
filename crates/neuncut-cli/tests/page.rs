//! The page of `report` in headless Chromium: it loads without errors, the pictures are there, the controls work.
//!
//! `cargo xtask test` finds or installs a browser and runs it; by hand: `cargo test --test page -- --ignored` with `chromium` in
//! PATH or its path in NEUNCUT_CHROMIUM.

mod support;

use serde_json::{Value, json};
use std::process::Command;
use support::Dir;

/// Goes first, so that nothing that fails is missed.
const BEFORE: &str =
    "<script>window.problems = []; addEventListener('error', (e) => problems.push(String(e.message)));</script>";

/// Uses every control as a reader would and leaves what it saw in the page.
const AFTER: &str = include_str!("page/reader.js");

/// Opens a page of the directory; gives what the script saw.
fn browse(dir: &Dir, page: &str, size: &str) -> Value {
    let html = dir.text(page);
    let addresses: Vec<&str> = html.matches("http").collect();
    assert_eq!(addresses.len(), html.matches("http://www.w3.org/2000/svg").count(), "{page} should need no network");
    let tried = html.replacen("<head>", &format!("<head>{BEFORE}"), 1).replacen(
        "</body>",
        &format!("<script>\n{AFTER}</script></body>"),
        1,
    );
    dir.write("tried.html", tried);
    let browser = std::env::var("NEUNCUT_CHROMIUM").unwrap_or_else(|_| "chromium".into());
    let profile = tempfile::tempdir().expect("a temporary directory");
    let output = Command::new(&browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--window-size={size}"))
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", dir.path("tried.html").display()))
        .output()
        .unwrap_or_else(|e| panic!("{browser} does not start: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains(":CONSOLE"), "{page} complains: {said}");
    let dom = String::from_utf8_lossy(&output.stdout);
    let outcome = dom.split("<pre id=\"outcome\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let outcome = outcome.unwrap_or_else(|| panic!("the script did not end: {said}"));
    let text = outcome.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&text).expect("JSON")
}

/// What every page must show and do.
fn check(seen: &Value, clusters: usize) {
    assert_eq!((&seen["ready"], &seen["problems"]), (&"yes".into(), &json!([])), "{seen}");
    let number = |name: &str| seen[name].as_u64().unwrap_or_default();
    assert!(number("marks") > 100 && number("panels") >= 1, "{seen}");
    assert_eq!((number("lines"), &seen["wide"]), (clusters as u64, &true.into()), "{seen}");
    // colours change and come back
    assert!(seen["repainted"].as_array().is_some_and(|all| all.iter().all(|changed| changed == true)), "{seen}");
    assert_eq!(seen["back"], true, "{seen}");
    // one that is chosen is open, the others fade; once more, and all are back
    assert!(number("off") > 0 && number("detail") == 1 && seen["expanded"] == json!(["1"]), "{seen}");
    assert!(seen["aside"].as_str().is_some_and(|text| text.contains("rows, ")), "{seen}");
    assert_eq!((number("offAgain"), number("detailAgain")), (0, 0), "{seen}");
    // pointing and clicking
    assert!(seen["tip"].as_str().is_some_and(|tip| tip.contains("row ") && tip.contains("cluster ")), "{seen}");
    assert_eq!((&seen["tipGone"], &seen["clicked"]), (&true.into(), &seen["pointed"]), "{seen}");
    // zoom by buttons, by keys, and back
    let width = |name: &str| seen[name].as_f64().unwrap_or_default();
    assert!(width("zoomed") < width("whole") && width("keyed") < width("zoomed"), "{seen}");
    assert!(width("wheeled") < width("keyed") && width("pinched") < width("wheeled"), "{seen}");
    assert_eq!(seen["reset"], seen["whole"], "{seen}");
    // sorting, both ways
    let sizes: Vec<f64> = seen["sizes"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    assert!(sizes.len() == clusters && sizes.is_sorted_by(|a, b| a >= b), "{seen}");
    let upwards: Vec<f64> = seen["upwards"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    assert!(upwards.len() == clusters && upwards.is_sorted() && seen["sorted"] == "ascending", "{seen}");
    // a search finds what is there, and nothing else
    assert_eq!((number("foundNone"), number("foundBack")), (0, clusters as u64), "{seen}");
    assert_eq!((&seen["foundText"], &seen["foundAside"]), (&"0 found".into(), &true.into()), "{seen}");
    // the legend stands above the map, and the list beside it has its colours
    assert_eq!((&seen["legendAbove"], &seen["listRepainted"]), (&true.into(), &true.into()), "{seen}");
    // labels of all rows that were looked at
    let csv = seen["csv"].as_str().unwrap_or_default();
    assert!(csv.starts_with("row,label,name,cluster,cluster_confidence\n0,"), "{csv}");
    assert_eq!(csv.lines().count(), 301, "{csv}");
}

#[test]
#[ignore = "needs Chromium: `cargo xtask test` runs it"]
fn a_page_of_images_with_known_classes() {
    let dir = Dir::new();
    // bright squares in one of three places, 8 x 8 pixels
    let (mut pixels, mut classes) = (Vec::new(), String::new());
    for row in 0..300_usize {
        let class = row % 3;
        classes += &format!("{class}\n");
        pixels.extend((0..64).map(|at| {
            let inside = at % 8 / 3 == class && at / 8 / 3 == class;
            if inside { 200 + (row * 7 + at) % 50 } else { (row * 13 + at * 5) % 40 }
        }));
    }
    let mut idx = vec![0, 0, 8, 3, 0, 0, 1, 44, 0, 0, 0, 8, 0, 0, 0, 8];
    idx.extend(pixels.iter().map(|pixel| *pixel as u8));
    dir.write("images.idx", idx);
    dir.write("classes.csv", classes);
    dir.ok("fit images.idx -k 3 --hidden 32 --epochs 5 --landmarks 200 --truth classes.csv --report page.html");
    let seen = browse(&dir, "page.html", "1280,900");
    check(&seen, 3);
    assert_eq!((&seen["confusion"], &seen["legend"]), (&9.into(), &2.into()), "{seen}");
    assert_eq!(seen["colours"], json!(["cluster", "confidence", "class", "wrong"]));
    assert!(seen["images"].as_u64() >= Some(18), "{seen}");
    assert!(seen["figures"].as_str().is_some_and(|text| text.contains("accuracy")), "{seen}");
    // two levels: the coarse one has two clusters, whose rows are those of all
    assert_eq!((&seen["stops"], &seen["coarse"]), (&2.into(), &2.into()), "{seen}");
    assert_eq!(seen["coarseText"], "2 clusters", "{seen}");
    assert_eq!((&seen["coarseSum"], &seen["coarseColours"]), (&300.into(), &2.into()), "{seen}");
    assert_eq!((&seen["coarseLabels"], &seen["leaves"]), (&json!(["0", "1"]), &2.into()), "{seen}");
}

#[test]
#[ignore = "needs Chromium: `cargo xtask test` runs it"]
fn a_page_of_a_model_on_a_narrow_screen() {
    let dir = Dir::with_rings();
    dir.ok("fit rings.npy -k 2 --hidden 32 --epochs 5");
    dir.ok("report model.safetensors -o page.html --svg pictures");
    let seen = browse(&dir, "page.html", "500,800"); // headless Chromium has no narrower window
    check(&seen, 2);
    assert_eq!((&seen["confusion"], &seen["images"]), (&0.into(), &0.into()), "{seen}");
    // rows have their values, and names on the map keep clear of the buttons
    assert!(seen["examples"].as_u64() > Some(0) && seen["covered"] == 0, "{seen}");
    for name in ["map.svg", "sizes.svg", "curves.svg"] {
        assert!(dir.text(&format!("pictures/{name}")).contains("</svg>"), "{name}");
    }
}

#[test]
#[ignore = "needs Chromium: `cargo xtask test` runs it"]
fn a_page_of_many_clusters_with_texts() {
    let dir = Dir::new();
    // 300 rows in 30 places, each with a word of its own; one text tries to end the script
    let mut csv = String::from("a,b,c,said\n");
    for row in 0..300 {
        let place = row % 30;
        let at = |axis: i32| f64::from(place / [1, 5, 10][axis as usize] % 5) * 9.0 + f64::from(row % 7) * 0.05;
        let word = format!("{}{}", ["alpha", "bravo", "delta"][place as usize % 3], (b'a' + place as u8 / 3) as char);
        csv += &format!("{},{},{},\"please {word} the row </script><b> {row}\"\n", at(0), at(1), at(2));
    }
    dir.write("rows.csv", csv);
    dir.ok("fit rows.csv -k 30 --method kmeans --seed 1 --report page.html");
    assert_eq!(dir.text("page.html"), {
        dir.ok("fit rows.csv -k 30 --method kmeans --seed 1 --report again.html --threads 1 -o again.safetensors");
        dir.text("again.html")
    });
    let seen = browse(&dir, "page.html", "1280,900");
    assert_eq!((&seen["ready"], &seen["problems"]), (&"yes".into(), &json!([])), "{seen}");
    // the first 25 rows of the table, then all; the chosen level has as many rows as its number
    assert_eq!((&seen["first"], &seen["lines"]), (&25.into(), &30.into()), "{seen}");
    assert_eq!(
        (&seen["coarse"], &seen["coarseColours"], &seen["coarseSum"]),
        (&2.into(), &2.into(), &300.into()),
        "{seen}"
    );
    let names = seen["names"].as_u64().unwrap_or_default();
    assert!((5..=30).contains(&names) && seen["overlap"] == 0 && seen["covered"] == 0, "{seen}");
    assert!(seen["tip"].as_str().is_some_and(|tip| tip.contains("please") && tip.contains("</script><b>")), "{seen}");
    assert_eq!(seen["foundWord"], 1, "{seen}");
    assert!(seen["differs"].as_u64() > Some(0), "{seen}");
}
