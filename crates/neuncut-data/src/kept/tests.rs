use super::*;
use crate::testing::{Dir, spec};
use crate::writers::{Beside, Columns, create_beside};
use crate::{TableSpec, read_labels};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int32Type, Int64Type};
use arrow_array::{DictionaryArray, Int64Array, ListArray, TimestampMillisecondArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;

/// Ids, kinds, times and vectors of some rows, in row groups of seven.
fn write(dir: &Dir, name: &str, first: i64, rows: i64) -> String {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(first..first + rows));
    let kinds: DictionaryArray<Int32Type> = (first..first + rows).map(|row| ["a", "b,c"][row as usize % 2]).collect();
    let times: ArrayRef = Arc::new(TimestampMillisecondArray::from_iter_values(first..first + rows));
    let vector = |row: i64| Some([Some(row as f32), Some(1.0)]);
    let vectors: ArrayRef =
        Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>((first..first + rows).map(vector)));
    let columns = [("id", ids), ("kind", Arc::new(kinds)), ("time", times), ("vector", vectors)];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties =
        parquet::file::properties::WriterProperties::builder().set_max_row_group_row_count(Some(7)).build();
    let path = dir.path(name);
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    path
}

/// Labels the rows 0, 1, 2, ... in chunks of five, beside what is kept.
fn labelled(dir: &Dir, spec: &TableSpec, keep: &Keep, output: &str) -> String {
    let table = Table::open(spec).unwrap();
    let kept = KeptColumns::open(&table, keep).unwrap();
    let path = dir.path(output);
    let mut writer = create_beside(&path, Columns::Labels, Beside { kept, ..Beside::default() }).unwrap();
    let labels: Vec<i32> = (0..30).collect();
    labels.chunks(5).for_each(|labels| writer.write(labels, None).unwrap());
    writer.finish().unwrap();
    path
}

#[test]
fn scalars_come_along_over_files_and_chunks() {
    let dir = Dir::new();
    let paths = vec![write(&dir, "1.parquet", 0, 18), write(&dir, "2.parquet", 18, 12)];
    let spec = TableSpec { paths, ..TableSpec::default() };
    let out = labelled(&dir, &spec, &Keep::Scalars, "out.parquet");
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&out).unwrap()).unwrap().build().unwrap();
    let mut next = 0;
    for batch in reader {
        let batch = batch.unwrap();
        let names: Vec<_> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
        assert_eq!(names, ["id", "kind", "time", "label"]);
        assert!(matches!(batch.column(1).data_type(), DataType::Dictionary(..)));
        for row in 0..batch.num_rows() {
            assert_eq!(batch.column(0).as_primitive::<Int64Type>().value(row), next);
            assert_eq!(i64::from(batch.column(3).as_primitive::<Int32Type>().value(row)), next);
            next += 1;
        }
    }
    assert_eq!(next, 30);
}

#[test]
fn text_is_quoted_and_lists_come_when_asked_for() {
    let dir = Dir::new();
    let table = spec(&write(&dir, "1.parquet", 0, 30));
    let out = labelled(&dir, &table, &Keep::Named(vec!["kind".into(), "id".into()]), "out.csv");
    let text = std::fs::read_to_string(&out).unwrap();
    assert!(text.starts_with("kind,id,label\na,0,0\n\"b,c\",1,1\n"), "{text}");
    assert_eq!(read_labels(&out, None).unwrap().len(), 30);
    let all = labelled(&dir, &table, &Keep::All, "out.arrow");
    let reader = arrow_ipc::reader::FileReader::try_new(File::open(all).unwrap(), None).unwrap();
    assert_eq!(reader.schema().fields().len(), 5);
    // what is kept can be kept again, under the label that is written then; features are numbers in a file of types
    let kept = TableSpec { columns: Some(vec!["id".into()]), ..spec(&out) };
    let again = labelled(&dir, &kept, &Keep::Scalars, "again.parquet");
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(again).unwrap()).unwrap();
    let kinds: Vec<_> = reader.schema().fields().iter().map(|field| field.data_type().clone()).collect();
    assert_eq!(kinds, [DataType::Utf8, DataType::Float64, DataType::Utf8, DataType::Int32]);
}

#[test]
fn columns_with_the_name_of_a_result_get_another() {
    let dir = Dir::new();
    let text: String = (0..30).map(|row| format!("{row},truth {row},{row}\n")).collect();
    let table = spec(&dir.file("a.csv", format!("x,label,label_input\n{text}")));
    let out = labelled(&dir, &table, &Keep::All, "out.csv");
    let text = std::fs::read_to_string(&out).unwrap();
    assert!(text.starts_with("x,label_input_input,label_input,label\n0,truth 0,0,0\n"), "{text}");
    let typed = labelled(&dir, &table, &"x,label".parse().unwrap(), "out.parquet");
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&typed).unwrap()).unwrap();
    let names: Vec<_> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["x", "label_input", "label"]);
    // the chunks of Parquet are not copied where a column has another name
    let again = labelled(&dir, &spec(&typed), &Keep::All, "again.csv");
    let text = std::fs::read_to_string(again).unwrap();
    assert!(text.starts_with("x,label_input,label_input_input,label\n0.0,truth 0,0,0\n"), "{text}");
}

#[test]
fn what_cannot_be_kept_is_explained() {
    let dir = Dir::new();
    let path = dir.file("a.csv", "x,label\n1,2\n3,4\n");
    let table = Table::open(&spec(&path)).unwrap();
    let message = |keep: &str| KeptColumns::open(&table, &keep.parse().unwrap()).err().unwrap().to_string();
    assert!(message("z").contains("there is no column z: the columns are x, label"));
    assert!(KeptColumns::open(&table, &Keep::Nothing).unwrap().is_none());
}

#[test]
fn chunks_of_parquet_are_copied_as_they_lie() {
    let dir = Dir::new();
    let paths = vec![write(&dir, "1.parquet", 0, 18), write(&dir, "2.parquet", 18, 12)];
    let table = TableSpec { paths: paths.clone(), ..TableSpec::default() };
    let copied = labelled(&dir, &table, &Keep::All, "out.parquet");
    let open = |path: &str| ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let groups = |path: &str| open(path).metadata().row_groups().iter().map(|g| g.num_rows()).collect::<Vec<_>>();
    assert_eq!(groups(&copied), [7, 7, 4, 7, 5]);
    let first_chunk = |path: &str| {
        let metadata = open(path).metadata().clone();
        let (from, length) = metadata.row_group(0).column(0).byte_range();
        std::fs::read(path).unwrap()[from as usize..(from + length) as usize].to_vec()
    };
    assert_eq!(first_chunk(&copied), first_chunk(&paths[0]));
    let rows = |path: &str| open(path).build().unwrap().map(|batch| batch.unwrap()).collect::<Vec<_>>();
    let (before, after) = (paths.iter().flat_map(|path| rows(path)).collect::<Vec<_>>(), rows(&copied));
    let before = concat_batches(&before[0].schema(), &before).unwrap();
    let after = concat_batches(&after[0].schema(), &after).unwrap();
    assert_eq!(before.columns(), &after.columns()[..4]);
    assert_eq!(after.column(4).as_primitive::<Int32Type>().values()[..], (0..30).collect::<Vec<i32>>()[..]);
}

#[test]
fn dictionaries_and_what_a_table_says_about_itself_come_along() {
    let dir = Dir::new();
    let about = HashMap::from([("pandas".to_owned(), "{}".to_owned())]);
    let kind = DataType::Dictionary(DataType::Int8.into(), DataType::Utf8View.into());
    let fields = vec![Field::new("x", DataType::Int64, true), Field::new("kind", kind.clone(), true)];
    let schema = Arc::new(Schema::new_with_metadata(fields, about.clone()));
    let path = dir.path("a.arrows");
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(File::create(&path).unwrap(), &schema).unwrap();
    // each batch brings a dictionary of its own
    let words: [[Option<&str>; 2]; 3] = [[Some("a"), Some("b")], [Some("c"), None], [Some("b"), Some("a")]];
    for batch in words {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..10));
        let text: StringArray = batch.into_iter().cycle().take(10).collect();
        let text = arrow_cast::cast(&text, &kind).unwrap();
        writer.write(&RecordBatch::try_new(schema.clone(), vec![numbers, text]).unwrap()).unwrap();
    }
    writer.finish().unwrap();
    let table = TableSpec { columns: Some(vec!["x".into()]), ..spec(&path) };
    let expected: Vec<Option<&str>> = words.iter().flat_map(|batch| batch.iter().copied().cycle().take(10)).collect();
    let texts = |batches: Vec<RecordBatch>| {
        let batch = concat_batches(&batches[0].schema(), &batches).unwrap();
        arrow_cast::cast(batch.column(1), &DataType::Utf8).unwrap()
    };
    let out = labelled(&dir, &table, &Keep::All, "out.arrow");
    let reader = arrow_ipc::reader::FileReader::try_new(File::open(out).unwrap(), None).unwrap();
    assert_eq!((reader.schema().field(1).data_type(), reader.schema().metadata()), (&kind, &about));
    let found = texts(reader.map(|batch| batch.unwrap()).collect());
    assert_eq!(found.as_string::<i32>().iter().collect::<Vec<_>>(), expected);
    // Parquet knows no views in dictionaries
    let out = labelled(&dir, &table, &Keep::All, "out.parquet");
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(out).unwrap()).unwrap();
    assert!(
        matches!(reader.schema().field(1).data_type(), DataType::Dictionary(_, values) if **values == DataType::Utf8)
    );
    assert_eq!(reader.schema().metadata(), &about);
    let found = texts(reader.build().unwrap().map(|batch| batch.unwrap()).collect());
    assert_eq!(found.as_string::<i32>().iter().collect::<Vec<_>>(), expected);
}
