//! The lengths that an Arrow file claims, checked against the file before arrow allocates them: a damaged length would otherwise end
//! the program, for memory that cannot be had is not an error that can be caught.

use arrow::ipc::{Block, root_as_footer, root_as_message};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// Marks the length of a message since version 0.15 of the format.
const CONTINUATION: u32 = u32::MAX;
/// The footer's length and the closing magic.
const TRAILER: u64 = 10;

/// Whether every block that the footer of a file names lies inside the file.
pub(super) fn file_is_sound(file: &mut BufReader<File>) -> std::io::Result<bool> {
    let size = file.seek(SeekFrom::End(0))?;
    if size < TRAILER {
        return Ok(false);
    }
    file.seek(SeekFrom::Start(size - TRAILER))?;
    let length = u64::from(read_u32(file)?);
    if length > size - TRAILER {
        return Ok(false);
    }
    file.seek(SeekFrom::Start(size - TRAILER - length))?;
    let mut bytes = vec![0; length as usize];
    file.read_exact(&mut bytes)?;
    let Ok(footer) = root_as_footer(&bytes) else { return Ok(false) };
    let inside = |block: &Block| {
        let parts = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
        parts.iter().all(|&part| part >= 0 && part as u64 <= size) && parts.iter().sum::<i64>() as u64 <= size
    };
    let blocks = [footer.dictionaries(), footer.recordBatches()];
    Ok(blocks.iter().flatten().all(|blocks| blocks.iter().all(inside)))
}

/// Whether every message of a stream lies inside the file.
pub(super) fn stream_is_sound(file: &mut BufReader<File>) -> std::io::Result<bool> {
    let size = file.seek(SeekFrom::End(0))?;
    let mut at = 0;
    while at + 4 <= size {
        file.seek(SeekFrom::Start(at))?;
        let mut length = u64::from(read_u32(file)?);
        at += 4;
        if length == u64::from(CONTINUATION) {
            if at + 4 > size {
                return Ok(false);
            }
            length = u64::from(read_u32(file)?);
            at += 4;
        }
        if length == 0 {
            return Ok(true); // the end of the stream
        }
        if length > size - at {
            return Ok(false);
        }
        let mut bytes = vec![0; length as usize];
        file.read_exact(&mut bytes)?;
        let Ok(message) = root_as_message(&bytes) else { return Ok(false) };
        let body = message.bodyLength();
        if body < 0 || body as u64 > size - at - length {
            return Ok(false);
        }
        at += length + body as u64;
    }
    Ok(true)
}

fn read_u32(file: &mut BufReader<File>) -> std::io::Result<u32> {
    let mut bytes = [0; 4];
    file.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}
