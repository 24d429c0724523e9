//! Federations as cells (bridge.md §2.3).

use rhizome_primitives::bridge_spec::{BridgeSpec, FederationFormat};
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rlp::Item;
use rhizome_primitives::rules::RuleSet;

use super::member::compress;
use super::{Federation, FederationMember};
use crate::storage::codec::{self, ListWriter};

/// Number of a format in the version cells.
pub(crate) fn version(format: FederationFormat) -> u64 {
    match format {
        FederationFormat::Standard => 1000,
        FederationFormat::NonStandardErp => 2000,
        FederationFormat::P2shErp => 3000,
        FederationFormat::P2shP2wshErp => 4000,
    }
}

fn format_of(version: u64) -> FederationFormat {
    match version {
        2000 => FederationFormat::NonStandardErp,
        3000 => FederationFormat::P2shErp,
        4000 => FederationFormat::P2shP2wshErp,
        _ => FederationFormat::Standard,
    }
}

/// Reads a federation; without a version its members are Bitcoin keys only.
pub(crate) fn decode(
    spec: &BridgeSpec,
    rules: RuleSet,
    version: Option<u64>,
    data: &[u8],
) -> Result<Federation, ContractError> {
    let items = codec::items(data)?;
    let [time, block, members] = items[..] else { return Err(codec::malformed()) };
    let members = members.items().map_err(codec::corrupt)?;
    let members = members
        .into_iter()
        .map(|item| if version.is_some() { member(item) } else { one_key_member(item) })
        .collect::<Result<_, _>>()?;
    let format = version.map_or(FederationFormat::Standard, format_of);
    Ok(Federation::new(spec, rules, format, members, codec::integer(time)?, codec::integer(block)?))
}

/// Writes a federation; `multikey` from RSKIP123 on.
pub(crate) fn encode(federation: &Federation, multikey: bool) -> Vec<u8> {
    let mut members = ListWriter::default();
    for member in &federation.members {
        if multikey {
            members.bytes(&encode_member(member))
        } else {
            members.bytes(&member.btc_key)
        };
    }
    let mut out = ListWriter::default();
    out.integer(federation.creation_time).integer(federation.creation_block).raw(&members.finish());
    out.finish()
}

/// Reads the members of a pending federation, sorted.
pub(crate) fn decode_pending(multikey: bool, data: &[u8]) -> Result<Vec<FederationMember>, ContractError> {
    let mut members = codec::items(data)?
        .into_iter()
        .map(|item| if multikey { member(item) } else { one_key_member(item) })
        .collect::<Result<Vec<_>, _>>()?;
    members.sort();
    Ok(members)
}

/// The Bitcoin keys of a pending federation: what its hash is made of.
pub(crate) fn encode_pending_keys(members: &[FederationMember]) -> Vec<u8> {
    let mut out = ListWriter::default();
    for member in members {
        out.bytes(&member.btc_key);
    }
    out.finish()
}

fn encode_member(member: &FederationMember) -> Vec<u8> {
    ListWriter::default().bytes(&member.btc_key).bytes(&member.rsk_key).bytes(&member.mst_key).finish()
}

fn member(item: Item<'_>) -> Result<FederationMember, ContractError> {
    match codec::nested_items(item)?[..] {
        [btc, rsk, mst] => Ok(FederationMember { btc_key: key(btc)?, rsk_key: key(rsk)?, mst_key: key(mst)? }),
        _ => Err(codec::malformed()),
    }
}

fn one_key_member(item: Item<'_>) -> Result<FederationMember, ContractError> {
    key(item).map(FederationMember::of_one_key)
}

fn key(item: Item<'_>) -> Result<[u8; 33], ContractError> {
    compress(codec::bytes(item)?).ok_or_else(codec::malformed)
}
