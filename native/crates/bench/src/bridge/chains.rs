//! Chains of Bitcoin headers in the Bridge's store.

use std::error::Error;

use rhizome_bitcoin::stored_header::{StoredHeader, work};
use rhizome_bitcoin::{BlockHeader, reversed};
use rhizome_bridge::recorded::{encode_bytes, key_of};
use rhizome_primitives::{B256, U256};

use super::large::Overlay;

/// The next header, with enough work for the easy target of a local network.
pub(crate) fn mined(below: &StoredHeader) -> StoredHeader {
    let mut header = below.header;
    header[4..36].copy_from_slice(reversed(below.hash()).as_slice());
    let mut nonce = 0_u32;
    while BlockHeader::new(header).hash()[0] >= 0x80 || header[4..36] != reversed(below.hash())[..] {
        nonce += 1;
        header[76..].copy_from_slice(&nonce.to_le_bytes());
    }
    StoredHeader { chain_work: below.chain_work + work(&header), height: below.height + 1, header }
}

/// The next header without proof of work, `seconds` later. Stored headers need no work.
pub(crate) fn unmined(below: &StoredHeader, seconds: u32) -> StoredHeader {
    let mut header = below.header;
    header[4..36].copy_from_slice(reversed(below.hash()).as_slice());
    let time = u32::from_le_bytes([header[68], header[69], header[70], header[71]]);
    header[68..72].copy_from_slice(&(time + seconds).to_le_bytes());
    StoredHeader { chain_work: below.chain_work + U256::from(1), height: below.height + 1, header }
}

/// `count` headers from a height on, each `seconds` after its parent, with the bits of the easiest target.
pub(crate) fn chain(from: i32, count: usize, seconds: u32) -> Vec<StoredHeader> {
    let mut header = [0; 80];
    header[..4].copy_from_slice(&1_u32.to_le_bytes());
    header[68..72].copy_from_slice(&1_600_000_000_u32.to_le_bytes());
    header[72..76].copy_from_slice(&0x1d00_ffff_u32.to_le_bytes());
    let first = StoredHeader { chain_work: U256::from(1) << 90, height: from, header };
    std::iter::successors(Some(first), |below| Some(unmined(below, seconds))).take(count).collect()
}

/// Puts headers into a state, the last one as the head.
pub(crate) fn store(
    state: &mut Overlay,
    headers: &[StoredHeader],
    long_work: bool,
    indexed: bool,
) -> Result<(), Box<dyn Error>> {
    for header in headers {
        let hash = header.hash();
        state.set(hash.into(), header.encode(long_work)?);
        let index = key_of("btcBlockHeight", Some(&header.height.to_string())).ok_or("no cell of heights")?;
        if indexed {
            state.set(index, encode_bytes(hash.as_slice()));
        }
    }
    let head = headers.last().ok_or("no headers")?;
    state.set_named("blockStoreChainHead", head.encode(long_work)?);
    Ok(())
}

/// Puts a header under a different hash.
pub(crate) fn store_as(
    state: &mut Overlay,
    hash: B256,
    header: &StoredHeader,
    long_work: bool,
) -> Result<(), Box<dyn Error>> {
    state.set(hash.into(), header.encode(long_work)?);
    Ok(())
}
