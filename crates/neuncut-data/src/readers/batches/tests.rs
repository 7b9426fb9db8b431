use super::*;
use crate::testing::{Dir, error_of, read_all, spec};
use crate::{ColumnNames, Table, TableSpec};
use arrow_array::types::{Float16Type, Float64Type, Int32Type, Int64Type};
use arrow_array::*;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::Field;
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;
use std::fs::File;
use std::sync::Arc;

const NAMES: [&str; 3] = ["a.parquet", "a.arrow", "stream.arrow"];

/// Writes a batch as Parquet, as an Arrow file or (by its name) as an Arrow stream.
fn write(dir: &Dir, name: &str, batch: &RecordBatch) -> String {
    let path = dir.path(name);
    let (file, schema) = (File::create(&path).unwrap(), batch.schema());
    if name.ends_with(".parquet") {
        let mut writer = ArrowWriter::try_new(file, schema, None).unwrap();
        writer.write(batch).unwrap();
        writer.close().unwrap();
    } else if name.starts_with("stream") {
        let mut writer = StreamWriter::try_new(file, &schema).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
    } else {
        let mut writer = FileWriter::try_new(file, &schema).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
    }
    path
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Reads the batch from all formats, which must agree.
fn read(batch: &RecordBatch) -> (usize, Vec<f32>) {
    let dir = Dir::new();
    let [first, second, third] = NAMES.map(|name| read_all(&spec(&write(&dir, name, batch))).unwrap());
    assert_eq!(first, second);
    assert_eq!(first, third);
    first
}

/// The error of all formats, which must agree.
fn message(batch: &RecordBatch) -> String {
    let dir = Dir::new();
    let text = |name: &str| error_of(&spec(&write(&dir, name, batch))).replace(&dir.path(name), "file");
    let [first, second, third] = NAMES.map(text);
    assert_eq!(first, second);
    assert_eq!(first, third);
    first
}

#[test]
fn every_number_type() {
    let floats = Float64Array::from(vec![1.0, 0.0, 100.0]);
    let kinds = [
        DataType::Int8,
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
        DataType::UInt8,
        DataType::UInt16,
        DataType::UInt32,
        DataType::UInt64,
        DataType::Float16,
        DataType::Float32,
        DataType::Float64,
        DataType::Decimal128(10, 2),
    ];
    let mut columns: Vec<(String, ArrayRef)> =
        kinds.iter().map(|kind| (kind.to_string(), cast(&floats, kind).unwrap())).collect();
    columns.push(("bool".into(), Arc::new(BooleanArray::from(vec![true, false, true]))));
    let (width, values) = read(&RecordBatch::try_from_iter(columns).unwrap());
    assert_eq!(width, 13);
    assert_eq!(values[..26], [[1.0; 13], [0.0; 13]].concat());
    assert_eq!(values[26..], [[100.0; 12].as_slice(), &[1.0]].concat());
}

#[test]
fn every_list_type() {
    let rows = || [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]].into_iter().map(|row| Some(row.map(Some)));
    let lists: [ArrayRef; 5] = [
        Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(
            rows().map(|row| row.map(|row| row.map(|value| value.map(|value: f64| value as f32)))),
            2,
        )),
        Arc::new(FixedSizeListArray::from_iter_primitive::<Float64Type, _, _>(rows(), 2)),
        Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(rows())),
        Arc::new(LargeListArray::from_iter_primitive::<Float64Type, _, _>(rows())),
        Arc::new(FixedSizeListArray::from_iter_primitive::<Float16Type, _, _>(
            rows().map(|row| row.map(|row| row.map(|value| value.map(ArrowFloat::from_f64)))),
            2,
        )),
    ];
    for list in lists {
        assert_eq!(read(&batch(vec![("features", list.clone())])), (2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        // A slice must not bring its neighbours with it.
        assert_eq!(read(&batch(vec![("features", list.slice(1, 1))])), (2, vec![3.0, 4.0]));
    }
}

/// Half precision has no public name here but arrow's.
type ArrowFloat = <Float16Type as ArrowPrimitiveType>::Native;

#[test]
fn columns_are_chosen_in_any_order() {
    let dir = Dir::new();
    let column = |value: i32| Arc::new(Int32Array::from(vec![value; 2])) as ArrayRef;
    let text = Arc::new(StringArray::from(vec!["x", "y"])) as ArrayRef;
    let batch = batch(vec![("a", column(1)), ("kind", text), ("c", column(3)), ("__index_level_0__", column(9))]);
    for name in NAMES {
        let path = write(&dir, name, &batch);
        let chosen = TableSpec { columns: Some(vec!["c".into(), "1".into()]), ..spec(&path) };
        assert_eq!(read_all(&chosen).unwrap(), (2, vec![3.0, 1.0, 3.0, 1.0]));
        let labelled = TableSpec { label_column: Some("kind".into()), ..spec(&path) };
        assert_eq!(read_all(&labelled).unwrap(), (2, vec![1.0, 3.0, 1.0, 3.0]));
    }
    assert_eq!(read(&batch), (2, vec![1.0, 3.0, 1.0, 3.0]));
    let named = TableSpec { columns: Some(vec!["kind".into()]), ..spec(&dir.path(NAMES[0])) };
    let text = error_of(&named);
    assert!(
        text.contains("column kind (text) cannot be a number: choose the feature columns with --columns"),
        "{text}"
    );
}

#[test]
fn missing_and_ragged_values_are_located() {
    let holes = Int32Array::from((0..5000).map(|row| (row != 4321).then_some(row)).collect::<Vec<_>>());
    assert!(message(&batch(vec![("a", Arc::new(holes))])).contains("row 4322, column a is null: remove or impute"));
    let lists = |rows: Vec<Option<Vec<Option<i64>>>>| {
        batch(vec![("v", Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(rows)))])
    };
    let ragged = message(&lists(vec![Some(vec![Some(1), Some(2)]), Some(vec![Some(1)])]));
    assert!(ragged.contains("row 2, column v holds a list of 1 numbers, but 2 are expected"), "{ragged}");
    assert!(message(&lists(vec![Some(vec![Some(1)]), None])).contains("row 2, column v is null"));
    assert!(
        message(&lists(vec![Some(vec![Some(1), Some(2)]), Some(vec![Some(1), None])]))
            .contains("row 2, column v[1] is null")
    );
    let column = |gap: usize| Arc::new(Int32Array::from_iter((0..9).map(|row| (row != gap).then_some(1)))) as ArrayRef;
    assert!(message(&batch(vec![("a", column(7)), ("b", column(3))])).contains("row 4, column b is null"));
    assert!(message(&lists(vec![Some(vec![])])).contains("row 1, column v holds a list of 0 numbers"));
    assert!(message(&lists(vec![])).contains("the file has no numbers"));
}

#[test]
fn a_list_stands_alone() {
    let list = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)])]));
    let (numbers, words) = (Int32Array::from(vec![7]), StringArray::from(vec!["x"]));
    let found = batch(vec![("a", Arc::new(numbers)), ("v", list.clone()), ("t", Arc::new(words))]);
    assert_eq!(read(&found), (1, vec![1.0]));
    let dir = Dir::new();
    for name in NAMES {
        let path = write(&dir, name, &found);
        let table = Table::open(&spec(&path)).unwrap();
        assert_eq!(table.column_names(), &ColumnNames::List("v".into()));
        assert_eq!(table.left_out(), ["a (numbers)", "t (text)"]);
        let both = error_of(&TableSpec { columns: Some(vec!["v".into(), "a".into()]), ..spec(&path) });
        assert!(both.contains("column v holds lists beside other columns: choose it alone with --columns v"), "{both}");
    }
    let text = message(&batch(vec![("v", list.clone()), ("w", list)]));
    assert!(text.contains("several columns hold lists of numbers (v, w): choose one with --columns"), "{text}");
}

#[test]
fn no_rows_are_an_error() {
    let batch = batch(vec![
        ("a", Arc::new(Int32Array::from(Vec::<i32>::new()))),
        ("b", Arc::new(Int32Array::from(Vec::<i32>::new()))),
    ]);
    assert!(message(&batch).contains("there are no rows"));
}

#[test]
fn many_wide_rows_are_interleaved() {
    let columns = (0..70).map(|column| {
        let values = Float32Array::from_iter_values((0..9001).map(|row| (row * 100 + column) as f32));
        (format!("x{column}"), Arc::new(values) as ArrayRef)
    });
    let (width, values) = read(&RecordBatch::try_from_iter(columns).unwrap());
    assert_eq!((width, values.len()), (70, 70 * 9001));
    assert!(values.iter().enumerate().all(|(at, value)| *value == (at / 70 * 100 + at % 70) as f32));
}

/// pandas and pyarrow compress Feather files with LZ4 unless told otherwise.
#[test]
fn compressed_feather_files() {
    let dir = Dir::new();
    let batch = batch(vec![("a", Arc::new(Float32Array::from(vec![7.0; 1000])))]);
    for compression in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let path = dir.path("a.feather");
        let options = IpcWriteOptions::default().try_with_compression(Some(compression)).unwrap();
        let file = File::create(&path).unwrap();
        let mut writer = FileWriter::try_new_with_options(file, &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        assert_eq!(read_all(&spec(&path)).unwrap(), (1, vec![7.0; 1000]));
    }
}

#[test]
fn foreign_content_is_explained() {
    let dir = Dir::new();
    for name in NAMES {
        let text = error_of(&spec(&dir.file(name, "not at all what the ending says")));
        assert!(text.contains("cannot be read as") && text.contains("write or download it again"), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn damaged_files_are_errors_and_not_panics(at in 0usize..10_000, byte in any::<u8>(), cut in any::<bool>()) {
        let dir = Dir::new();
        let field = Arc::new(Field::new("item", DataType::Float32, false));
        let list = FixedSizeListArray::new(field, 2, Arc::new(Float32Array::from(vec![1.0; 40])), None);
        let batch = batch(vec![("v", Arc::new(list))]);
        for name in NAMES {
            let path = write(&dir, name, &batch);
            let mut bytes = std::fs::read(&path).unwrap();
            let at = at % bytes.len();
            if cut { bytes.truncate(at.max(1)) } else { bytes[at] = byte }
            std::fs::write(&path, bytes).unwrap();
            let _ = read_all(&spec(&path));
        }
    }
}

#[test]
fn lists_of_which_there_are_none_fit_to_any_others() {
    let lists = |rows: usize| -> ArrayRef {
        let rows = (0..rows).map(|row| Some([Some(row as f32), Some(1.0)]));
        Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(rows))
    };
    let dir = Dir::new();
    let none = write(&dir, "none.parquet", &batch(vec![("v", lists(0))]));
    let some = write(&dir, "some.parquet", &batch(vec![("v", lists(2))]));
    assert!(error_of(&spec(&none)).contains("the file has no numbers"));
    let both = TableSpec { paths: vec![none.clone(), some], ..TableSpec::default() };
    assert_eq!(read_all(&both).unwrap(), (2, vec![0.0, 1.0, 1.0, 1.0]));
    assert_eq!(read_all(&TableSpec { shard: true, ..spec(&none) }).unwrap(), (0, Vec::new()));
}
