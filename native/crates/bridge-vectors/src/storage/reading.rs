//! Cells that are read and rewritten.

use rhizome_bridge::recorded::*;
use rhizome_primitives::contract::ContractError;

use super::context::Context;

/// Reads an existing cell and writes what was read.
type RoundTrip<'a> = &'a dyn Fn(&[u8]) -> Result<Vec<u8>, ContractError>;

/// Reads a cell and writes what was read, like the reference's round trip; None is null. An absent or empty list reads
/// as an empty one.
pub(super) fn read_and_write(
    name: &str,
    context: &Context,
    cell: Option<&[u8]>,
) -> Result<Option<Vec<u8>>, ContractError> {
    let list = |of: RoundTrip<'_>| match cell {
        None | Some([]) => Ok(vec![0xc0]),
        Some(cell) => of(cell),
    };
    let authorisers = &context.spec.authorisers;
    let written = match name {
        "newFederationBtcUTXOs" | "oldFederationBtcUTXOs" => list(&|cell| Ok(encode_utxos(&decode_utxos(cell)?))),
        "btcTxHashesAP" => list(&|cell| Ok(encode_processed(&decode_processed(cell)?))),
        "releaseRequestQueue" => list(&|cell| Ok(encode_requests(&decode_requests(cell)?, false))),
        "releaseRequestQueueWithTxHash" => list(&|cell| Ok(encode_requests(&decode_requests_with_hash(cell)?, true))),
        "releaseTransactionSet" => list(&|cell| {
            let set = ConfirmationSet::load(true, decode_confirmations(cell)?, None);
            Ok(encode_confirmations(set.sorted(), false))
        }),
        "releaseTransactionSetWithTxHash" => list(&|cell| {
            let set = ConfirmationSet::load(true, Vec::new(), Some(decode_confirmations_with_hash(cell)?));
            Ok(encode_confirmations(set.sorted(), true))
        }),
        "rskTxsWaitingFS" => list(&|cell| Ok(WaitingForSignatures::decode(cell)?.encode())),
        "federationElection" => list(&|cell| Ok(Election::decode(cell, &authorisers.federation_change)?.encode())),
        "feePerKbElection" => list(&|cell| Ok(Election::decode(cell, &authorisers.fee_per_kb)?.encode())),
        // The recorded round trip of an absent height writes -1.
        "nextPegoutHeight" if cell.is_none() => Ok(encode_long(-1)),
        "coinbaseInformation" if cell.is_none() => return Ok(None),
        _ => {
            let cell = cell.ok_or_else(|| ContractError::Failed("an absent cell".into()))?;
            return value(name, context, cell).map(Some);
        }
    };
    written.map(Some)
}

/// An existing cell.
fn value(name: &str, context: &Context, cell: &[u8]) -> Result<Vec<u8>, ContractError> {
    match name {
        "btcTxHashAP"
        | "activeFedCreationBlockHeight"
        | "nextFedCreationBlockHeight"
        | "nextPegoutHeight"
        | "receiveHeadersLastTimestamp" => long_cell(cell).map(encode_long),
        "feePerKb" | "lockingCap" => coin_cell(cell).map(encode_long),
        "unionBridgeLockingCap" => wei_cell(cell).map(encode_wei),
        "unionBridgeContractAddress" => decode_address(cell).map(|address| encode_bytes(address.as_slice())),
        "svpFundTxHashUnsigned" | "btcBlockHeight" => hash_cell(cell).map(|hash| encode_bytes(hash.as_slice())),
        "svpFundTxSigned" => decode_signed_fund(cell).map(|signed| encode_bytes(&signed.serialize())),
        "svpSpendTxWaitingForSignatures" => {
            decode_spend_waiting(cell).map(|waiting| encode_spend_waiting(waiting.as_ref()))
        }
        "newFederation" => decode_federation(&context.spec, context.rules, context.version, cell)
            .map(|federation| encode_federation(&federation, context.version.is_some())),
        "pendingFederation" => {
            decode_pending(context.multikey, cell).map(|members| encode_pending(&members, context.multikey))
        }
        "lastRetiredFedP2SHScript" => decode_script(cell).map(|script| encode_script(&script)),
        "coinbaseInformation" => decode_witness_root(cell).map(encode_witness_root),
        "lockWhitelist" => Whitelist::decode_one_off(cell).map(|whitelist| whitelist.encode_one_off()),
        "unlimitedLockWhitelist" => {
            let mut whitelist = Whitelist::default();
            whitelist.decode_unlimited(cell).map(|()| whitelist.encode_unlimited())
        }
        "fastBridgeFederationInformation" => FlyoverFederation::decode(cell).map(|federation| federation.encode()),
        "releasesOutpointsValues" => encode_outpoint_values(&decode_outpoint_values(cell)?),
        _ => Err(ContractError::Failed(format!("no such cell: {name}"))),
    }
}
