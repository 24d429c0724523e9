//! Federations as cells (bridge.md §2.3).

use alloy_primitives::keccak256;
use rhizome_primitives::B256;
use rhizome_primitives::bridge_spec::{BridgeSpec, FederationFormat};
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::RuleSet;

use super::{Federation, FederationMember, MemberKey};
use crate::storage::codec::{self, Item, ListWriter, malformed};

/// Number of the first format in the version cells.
pub(crate) const STANDARD_VERSION: i64 = 1000;

/// Number of a format in the version cells.
pub fn version(format: FederationFormat) -> i64 {
    match format {
        FederationFormat::Standard => STANDARD_VERSION,
        FederationFormat::NonStandardErp => 2000,
        FederationFormat::P2shErp => 3000,
        FederationFormat::P2shP2wshErp => 4000,
    }
}

/// The format of a version; unknown ones are standard.
pub fn format_of(version: i32) -> FederationFormat {
    match version {
        2000 => FederationFormat::NonStandardErp,
        3000 => FederationFormat::P2shErp,
        4000 => FederationFormat::P2shP2wshErp,
        _ => FederationFormat::Standard,
    }
}

/// Reads a federation; without a version its members are Bitcoin keys only.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn decode(
    spec: &BridgeSpec,
    rules: RuleSet,
    version: Option<i32>,
    cell: &[u8],
) -> Result<Federation, ContractError> {
    let [time, block, members] = codec::items(cell)?[..] else { return Err(malformed()) };
    let (time, block) = (time.long()?, block.long()?);
    let members = members
        .items()?
        .into_iter()
        .map(|item| if version.is_some() { member(item) } else { one_key_member(item) })
        .collect::<Result<_, _>>()?;
    let format = version.map_or(FederationFormat::Standard, format_of);
    Federation::new(spec, rules, format, members, time, block)
}

/// Writes a federation; `multikey` from RSKIP123 on.
pub fn encode(federation: &Federation, multikey: bool) -> Vec<u8> {
    let mut members = ListWriter::default();
    for member in &federation.members {
        if multikey {
            members.bytes(&encode_member(member))
        } else {
            members.bytes(&member.btc_key)
        };
    }
    let mut out = ListWriter::default();
    out.long(federation.creation_time).long(federation.creation_block).raw(&members.finish());
    out.finish()
}

/// Reads the members of a pending federation, sorted.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn decode_pending(multikey: bool, cell: &[u8]) -> Result<Vec<FederationMember>, ContractError> {
    let mut members = codec::items(cell)?
        .into_iter()
        .map(|item| if multikey { member(item) } else { one_key_member(item) })
        .collect::<Result<Vec<_>, _>>()?;
    members.sort();
    Ok(members)
}

/// Writes the members of a pending federation, which are sorted; `multikey` from RSKIP123 on.
pub fn encode_pending(members: &[FederationMember], multikey: bool) -> Vec<u8> {
    if !multikey {
        return encode_pending_keys(members);
    }
    let mut out = ListWriter::default();
    for member in members {
        out.raw(&encode_member(member));
    }
    out.finish()
}

/// The Bitcoin keys of a pending federation: the preimage of its hash.
pub(crate) fn encode_pending_keys(members: &[FederationMember]) -> Vec<u8> {
    let mut out = ListWriter::default();
    for member in members {
        out.bytes(&member.btc_key);
    }
    out.finish()
}

/// Hash by which a pending federation is committed.
pub(crate) fn pending_hash(members: &[FederationMember]) -> B256 {
    keccak256(encode_pending_keys(members))
}

fn encode_member(member: &FederationMember) -> Vec<u8> {
    ListWriter::default().bytes(&member.btc_key).bytes(&member.rsk_key).bytes(&member.mst_key).finish()
}

fn member(item: Item<'_>) -> Result<FederationMember, ContractError> {
    match item.nested_items()?[..] {
        [btc, rsk, mst] => Ok(FederationMember { btc_key: key(btc)?, rsk_key: key(rsk)?, mst_key: key(mst)? }),
        _ => Err(malformed()),
    }
}

fn one_key_member(item: Item<'_>) -> Result<FederationMember, ContractError> {
    key(item).map(FederationMember::of_one_key)
}

fn key(item: Item<'_>) -> Result<MemberKey, ContractError> {
    MemberKey::parse(item.bytes()?).ok_or_else(malformed)
}
