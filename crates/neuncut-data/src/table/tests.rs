use super::*;
use crate::npy_header::format_header;
use crate::testing::{Dir, error_of, read_all, spec};
use proptest::prelude::*;

fn npy(values: &[f32], width: usize) -> Vec<u8> {
    let mut bytes = format_header("<f4", (values.len() / width) as u64, Some(width));
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

#[test]
fn several_files_are_one_table() {
    let dir = Dir::new();
    let a = dir.file("a.npy", npy(&[1.0, 2.0, 3.0, 4.0], 2));
    let b = dir.file("b.csv", "x,y\n5,6\n");
    let both = TableSpec { paths: vec![a.clone(), b], ..TableSpec::default() };
    assert_eq!(read_all(&both).unwrap(), (2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    assert_eq!(Table::open(&both).unwrap().row_count(), None);
    let twice = TableSpec { paths: vec![a.clone(), a], ..TableSpec::default() };
    assert_eq!(Table::open(&twice).unwrap().row_count(), Some(4));
}

#[test]
fn one_read_crosses_file_borders() {
    let dir = Dir::new();
    for name in ["a.npy", "b.npy", "c.npy"] {
        dir.file(name, npy(&[1.0, 2.0], 1));
    }
    let mut table = Table::open(&spec(&dir.path("*.npy"))).unwrap();
    let mut rows = Vec::new();
    assert_eq!(table.read(5, &mut rows).unwrap(), 5);
    assert_eq!((table.rows_read(), rows.len()), (5, 5));
    assert_eq!(table.read(5, &mut rows).unwrap(), 1);
    assert_eq!(table.read(5, &mut rows).unwrap(), 0);
}

#[test]
fn of_very_wide_rows_few_are_read_at_a_time() {
    let dir = Dir::new();
    let path = dir.file("a.libsvm", "1 1:1 4194303:1\n".repeat(9));
    let (mut table, mut rows) = (Table::open(&spec(&path)).unwrap(), Vec::new());
    assert_eq!(table.read(9, &mut rows).unwrap(), 2);
    assert!(rows.len() <= MOST_VALUES);
}

#[test]
fn non_finite_values_are_located_in_their_file() {
    let dir = Dir::new();
    let a = dir.file("a.csv", "x,y\n1,2\n3,4\n");
    let b = dir.file("b.csv", "x,y\n1,2\n3,4\n5,nan\n");
    let message = error_of(&TableSpec { paths: vec![a, b.clone()], ..TableSpec::default() });
    assert_eq!(
        message,
        format!(
            "{b}: row 3, column y is NaN: remove or impute rows with missing or infinite values, or use --on-null skip"
        )
    );
}

#[test]
fn rows_that_are_left_out_count_where_a_later_one_is_named() {
    let dir = Dir::new();
    let path = dir.file("a.csv", "x,y\n1,2\n,3\n4,5\n6,\n7,inf\n");
    let message = error_of(&TableSpec { on_null: OnNull::Skip, ..spec(&path) });
    assert!(message.contains("row 5, column y is inf"), "{message}");
}

#[test]
fn lists_of_files_are_among_what_is_read() {
    let dir = Dir::new();
    let rows = dir.file("a.npy", npy(&[1.0, 2.0], 1));
    let list = dir.file("list.txt", &rows);
    let table = Table::open(&spec(&format!("@{list}"))).unwrap();
    assert_eq!(table.paths(), [PathBuf::from(rows), PathBuf::from(list)]);
}

#[test]
fn widths_and_names_must_agree() {
    let dir = Dir::new();
    let [a, b, c] =
        [("a.csv", "x,y\n1,2\n"), ("b.csv", "x\n1\n"), ("c.csv", "y,x\n1,2\n")].map(|(n, t)| dir.file(n, t));
    let message =
        |second: &String| error_of(&TableSpec { paths: vec![a.clone(), second.clone()], ..TableSpec::default() });
    assert!(message(&b).contains("b.csv has 1 columns, but 2 are expected"));
    assert!(message(&c).contains("feature column 1 is called y, but x in the first file"));
    let named = TableSpec { paths: vec![a, c], columns: Some(vec!["x".into(), "y".into()]), ..TableSpec::default() };
    assert_eq!(read_all(&named).unwrap(), (2, vec![1.0, 2.0, 2.0, 1.0]));
}

#[test]
fn later_files_are_checked_before_any_work() {
    let dir = Dir::new();
    let a = dir.file("a.npy", npy(&[1.0], 1));
    let paths = vec![a, dir.path("missing.npy")];
    assert!(Table::open(&TableSpec { paths, ..TableSpec::default() }).is_err());
}

#[test]
fn numbers_too_small_for_single_precision_are_zero_and_noted() {
    let dir = Dir::new();
    let mut doubles = format_header("<f8", 2, Some(3));
    doubles.extend([1e-300, 0.0, 1.0, -1e-60, 0.0, 2.0].iter().flat_map(|value: &f64| value.to_le_bytes()));
    for file in [dir.file("a.npy", doubles), dir.file("a.csv", "a,b,c\n1e-300,0,1\n-0.01E-60,0.0e5,2\n")] {
        let (mut table, mut rows) = (Table::open(&spec(&file)).unwrap(), Vec::new());
        assert_eq!(table.read(9, &mut rows).unwrap(), 2);
        assert_eq!(rows, [0.0, 0.0, 1.0, 0.0, 0.0, 2.0]);
        assert_eq!([0, 1, 2, 3].map(|column| table.has_vanished(column)), [true, false, false, false]);
    }
}

#[test]
fn the_first_non_finite_value_is_found_anywhere() {
    let mut values = vec![1.0; 5000];
    assert_eq!(odd_among(&values).non_finite, None);
    values[4999] = f32::NEG_INFINITY;
    values[1024] = f32::NAN;
    assert_eq!(odd_among(&values).non_finite, Some(1024));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn the_fingerprint_depends_on_values_and_width_only(
        values in prop::collection::vec(-1e30f32..1e30, 24), chunk in 1usize..9, border in 0usize..12,
    ) {
        let dir = Dir::new();
        let whole = spec(&dir.file("whole.npy", npy(&values, 2)));
        let parts = TableSpec {
            paths: vec![dir.file("1.npy", npy(&values[..2 * border], 2)), dir.file("2.npy", npy(&values[2 * border..], 2))],
            ..TableSpec::default()
        };
        let fingerprint = |spec: &TableSpec, chunk: usize| {
            let mut table = Table::open(spec).unwrap();
            let mut rows = Vec::new();
            while table.read(chunk, &mut rows).unwrap() > 0 {}
            (table.fingerprint(), rows)
        };
        prop_assert_eq!(fingerprint(&whole, chunk), fingerprint(&parts, 5));
        let wider = spec(&dir.file("wider.npy", npy(&values, 3)));
        prop_assert_ne!(fingerprint(&whole, chunk).0, fingerprint(&wider, 5).0);
    }
}
