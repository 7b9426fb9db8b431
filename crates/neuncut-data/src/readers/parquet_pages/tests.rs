use super::*;
use crate::testing::Dir;
use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::file::properties::{WriterProperties, WriterVersion};
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{ArrayRef, FixedSizeListArray, LargeListArray, ListArray, RecordBatch};
use std::fs::File;

type Rows = Vec<Option<Vec<Option<f64>>>>;

const WIDTH: usize = 7;

/// Lists of different numbers.
fn rows(count: usize) -> Rows {
    (0..count).map(|row| Some((0..WIDTH).map(|i| Some((row * WIDTH + i) as f64)).collect())).collect()
}

/// The same lists in every kind of column.
fn columns(rows: &Rows) -> [ArrayRef; 4] {
    let narrow = || rows.iter().map(|row| row.as_ref().map(|row| row.iter().map(|x| x.map(|x| x as f32))));
    [
        Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(narrow())),
        Arc::new(LargeListArray::from_iter_primitive::<Float32Type, _, _>(narrow())),
        Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(rows.clone())),
        Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(narrow(), WIDTH as i32)),
    ]
}

fn write(dir: &Dir, column: &ArrayRef, properties: WriterProperties) -> Source {
    let path = dir.path("a.parquet");
    let batch = RecordBatch::try_from_iter([("v", column.clone())]).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    Source::new(path.as_ref()).unwrap()
}

fn by_pages(source: &Source) -> Option<Box<dyn RowReader>> {
    let metadata = ArrowReaderMetadata::load(&source.file().unwrap(), Default::default()).unwrap();
    open(source, &metadata, 0, &[]).unwrap()
}

fn by_arrow(source: &Source) -> Result<Box<dyn RowReader>> {
    parquet::open_rest(source, 0, 0)
}

/// All rows, some at a time, or the error.
fn read(mut reader: Box<dyn RowReader>, at_once: usize) -> Result<Vec<f32>> {
    let mut rows = Vec::new();
    while reader.read(at_once, &mut rows)? > 0 {}
    Ok(rows)
}

/// Small pages that end within rows, and three row groups.
fn small_pages() -> ::parquet::file::properties::WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_data_page_size_limit(400)
        .set_write_batch_size(10)
        .set_max_row_group_row_count(Some(400))
}

#[test]
fn pages_give_what_arrow_gives() {
    let dir = Dir::new();
    let expected: Vec<f32> = (0..1000 * WIDTH).map(|i| i as f32).collect();
    for column in columns(&rows(1000)) {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for compression in [Compression::UNCOMPRESSED, Compression::ZSTD(ZstdLevel::default())] {
                let plain = small_pages().set_encoding(Encoding::PLAIN);
                let properties = plain.set_writer_version(version).set_compression(compression).build();
                let source = write(&dir, &column, properties);
                for at_once in [1, 3, 250, 5000] {
                    let pages = by_pages(&source).expect("pages are simple");
                    assert_eq!((pages.width(), pages.row_count()), (WIDTH, Some(1000)));
                    assert_eq!(read(pages, at_once).unwrap(), expected);
                }
                assert_eq!(read(by_arrow(&source).unwrap(), 99).unwrap(), expected);
            }
        }
    }
}

#[test]
fn dictionaries_are_read_too() {
    let dir = Dir::new();
    let few = |kinds: usize| -> Rows {
        (0..1000).map(|row| Some((0..WIDTH).map(|i| Some(((row * WIDTH + i) % kinds) as f64)).collect())).collect()
    };
    for kinds in [1, 2, 300, 1000 * WIDTH] {
        let expected: Vec<f32> = (0..1000 * WIDTH).map(|i| (i % kinds) as f32).collect();
        for column in columns(&few(kinds)) {
            for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
                // one that holds everything, and one that becomes too large: plain pages follow, and the next row group has one again
                for limit in [1 << 20, 300] {
                    let sizes = small_pages().set_dictionary_enabled(true).set_dictionary_page_size_limit(limit);
                    let source = write(&dir, &column, sizes.set_writer_version(version).build());
                    for at_once in [1, 33, 5000] {
                        let pages = by_pages(&source).expect("pages are simple");
                        assert_eq!(read(pages, at_once).unwrap(), expected, "{kinds} {limit}");
                    }
                }
            }
        }
    }
}

#[test]
fn encodings_of_other_kinds_are_left_to_arrow() {
    let dir = Dir::new();
    let properties = small_pages().set_encoding(Encoding::BYTE_STREAM_SPLIT).build();
    let source = write(&dir, &columns(&rows(1000))[0], properties);
    assert!(by_pages(&source).is_none());
    let expected: Vec<f32> = (0..1000 * WIDTH).map(|i| i as f32).collect();
    assert_eq!(read(parquet::open(&source, &Default::default()).unwrap(), 33).unwrap(), expected);
}

#[test]
fn what_is_wrong_is_said_by_arrow_with_the_right_row() {
    let dir = Dir::new();
    for (wrong, text) in [
        (None, "row 778, column v is null"),
        (Some(vec![]), "row 778, column v holds a list of 0 numbers"),
        (Some(vec![Some(1.0); WIDTH - 1]), "row 778, column v holds a list of 6 numbers, but 7 are expected"),
        (Some(vec![Some(1.0); WIDTH + 1]), "row 778, column v holds a list of 8 numbers, but 7 are expected"),
        (Some([vec![Some(1.0); WIDTH - 1], vec![None]].concat()), "row 778, column v[6] is null"),
    ] {
        let mut rows = rows(1000);
        rows[777] = wrong;
        let column = Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(
            rows.iter().map(|row| row.as_ref().map(|row| row.iter().map(|x| x.map(|x| x as f32)))),
        ));
        let source = write(&dir, &(column as ArrayRef), small_pages().build());
        for at_once in [1, 3, 250, 5000] {
            let by_pages = read(by_pages(&source).expect("the first pages are simple"), at_once).unwrap_err();
            let by_arrow = by_arrow(&source).and_then(|reader| read(reader, at_once)).unwrap_err();
            assert_eq!(by_pages.to_string(), by_arrow.to_string());
            assert!(by_pages.to_string().contains(text), "{by_pages}");
        }
    }
}
