//! Keys of the Bridge's cells (bridge.md §2.1, §2.2).

use alloy_primitives::keccak256;
use rhizome_primitives::{B256, U256};

/// A cell with a name, which is left-padded to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named(&'static str);

impl Named {
    pub(crate) fn key(self) -> U256 {
        U256::from_be_slice(self.0.as_bytes())
    }
}

/// A family of cells with a name and an id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Family(&'static str);

impl Family {
    pub(crate) fn key(self, id: &str) -> U256 {
        keccak256(format!("{}-{id}", self.0)).into()
    }

    /// The id is a hash in display order.
    pub(crate) fn key_of_hash(self, hash: B256) -> U256 {
        self.key(&alloy_primitives::hex::encode(hash))
    }
}

/// A union cell: the hash of its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hashed(&'static str);

impl Hashed {
    pub(crate) fn key(self) -> U256 {
        keccak256(self.0).into()
    }
}

pub(crate) const PROCESSED: Named = Named("btcTxHashesAP");
pub(crate) const PROCESSED_HEIGHT: Family = Family("btcTxHashAP");
pub(crate) const COINBASE_INFORMATION: Family = Family("coinbaseInformation");

pub(crate) const REQUESTS: Named = Named("releaseRequestQueue");
pub(crate) const REQUESTS_WITH_HASH: Named = Named("releaseRequestQueueWithTxHash");
pub(crate) const CONFIRMATIONS: Named = Named("releaseTransactionSet");
pub(crate) const CONFIRMATIONS_WITH_HASH: Named = Named("releaseTransactionSetWithTxHash");
pub(crate) const SIGNATURES: Named = Named("rskTxsWaitingFS");
pub(crate) const NEXT_PEGOUT_HEIGHT: Named = Named("nextPegoutHeight");
pub(crate) const PEGOUT_SIGNATURE_HASH: Family = Family("pegoutTxSigHash");
pub(crate) const OUTPOINT_VALUES: Family = Family("releasesOutpointsValues");

pub(crate) const NEW_UTXOS: Named = Named("newFederationBtcUTXOs");
pub(crate) const NEW_UTXOS_TESTNET_RSKIP284: Named = Named("newFederationBtcUTXOsForTestnet");
pub(crate) const NEW_UTXOS_TESTNET_RSKIP293: Named = Named("newFedBtcUTXOsForTestnetPostHop");
pub(crate) const OLD_UTXOS: Named = Named("oldFederationBtcUTXOs");
pub(crate) const NEW_FEDERATION: Named = Named("newFederation");
pub(crate) const NEW_FEDERATION_VERSION: Named = Named("newFederationFormatVersion");
pub(crate) const OLD_FEDERATION: Named = Named("oldFederation");
pub(crate) const OLD_FEDERATION_VERSION: Named = Named("oldFederationFormatVersion");
pub(crate) const PENDING_FEDERATION: Named = Named("pendingFederation");
pub(crate) const PENDING_FEDERATION_VERSION: Named = Named("pendingFederationFormatVersion");
pub(crate) const PROPOSED_FEDERATION: Named = Named("proposedFederation");
pub(crate) const PROPOSED_FEDERATION_VERSION: Named = Named("proposedFederationFormatVersion");
pub(crate) const FEDERATION_ELECTION: Named = Named("federationElection");
pub(crate) const ACTIVE_CREATION_HEIGHT: Named = Named("activeFedCreationBlockHeight");
pub(crate) const NEXT_CREATION_HEIGHT: Named = Named("nextFedCreationBlockHeight");
pub(crate) const LAST_RETIRED_SCRIPT: Named = Named("lastRetiredFedP2SHScript");

pub(crate) const FEE_PER_KB: Named = Named("feePerKb");
pub(crate) const FEE_ELECTION: Named = Named("feePerKbElection");
pub(crate) const LOCKING_CAP: Named = Named("lockingCap");
pub(crate) const WHITELIST: Named = Named("lockWhitelist");
pub(crate) const UNLIMITED_WHITELIST: Named = Named("unlimitedLockWhitelist");

pub(crate) const CHAIN_HEAD: Named = Named("blockStoreChainHead");
pub(crate) const HEADER_AT_HEIGHT: Family = Family("btcBlockHeight");
pub(crate) const RECEIVE_HEADERS_TIMESTAMP: Named = Named("receiveHeadersLastTimestamp");

pub(crate) const FLYOVER_USED: Family = Family("fastBridgeHashUsedInBtcTx");
pub(crate) const FLYOVER_FEDERATION: Family = Family("fastBridgeFederationInformation");

pub(crate) const SVP_FUND_UNSIGNED: Named = Named("svpFundTxHashUnsigned");
pub(crate) const SVP_FUND_SIGNED: Named = Named("svpFundTxSigned");
pub(crate) const SVP_SPEND_UNSIGNED: Named = Named("svpSpendTxHashUnsigned");
pub(crate) const SVP_SPEND_WAITING: Named = Named("svpSpendTxWaitingForSignatures");

pub(crate) const UNION_ADDRESS: Hashed = Hashed("unionBridgeContractAddress");
pub(crate) const UNION_LOCKING_CAP: Hashed = Hashed("unionBridgeLockingCap");
pub(crate) const UNION_TRANSFERRED: Hashed = Hashed("weisTransferredToUnionBridge");
pub(crate) const UNION_REQUEST_ENABLED: Hashed = Hashed("unionBridgeRequestEnabled");
pub(crate) const UNION_RELEASE_ENABLED: Hashed = Hashed("unionBridgeReleaseEnabled");
pub(crate) const SUPER_EVENT: Hashed = Hashed("superEvent");
pub(crate) const BASE_EVENT: Hashed = Hashed("baseEvent");

/// Key of a cell by its name, or by name and id for a family; None when there is no such cell.
pub fn key_of(name: &str, id: Option<&str>) -> Option<U256> {
    match id {
        Some(id) => FAMILIES.iter().find(|family| family.0 == name).map(|family| family.key(id)),
        None => {
            let named = NAMED.iter().find(|named| named.0 == name).map(|named| named.key());
            named.or_else(|| HASHED.iter().find(|hashed| hashed.0 == name).map(|hashed| hashed.key()))
        }
    }
}

const NAMED: &[Named] = &[
    PROCESSED,
    REQUESTS,
    REQUESTS_WITH_HASH,
    CONFIRMATIONS,
    CONFIRMATIONS_WITH_HASH,
    SIGNATURES,
    NEXT_PEGOUT_HEIGHT,
    NEW_UTXOS,
    NEW_UTXOS_TESTNET_RSKIP284,
    NEW_UTXOS_TESTNET_RSKIP293,
    OLD_UTXOS,
    NEW_FEDERATION,
    NEW_FEDERATION_VERSION,
    OLD_FEDERATION,
    OLD_FEDERATION_VERSION,
    PENDING_FEDERATION,
    PENDING_FEDERATION_VERSION,
    PROPOSED_FEDERATION,
    PROPOSED_FEDERATION_VERSION,
    FEDERATION_ELECTION,
    ACTIVE_CREATION_HEIGHT,
    NEXT_CREATION_HEIGHT,
    LAST_RETIRED_SCRIPT,
    FEE_PER_KB,
    FEE_ELECTION,
    LOCKING_CAP,
    WHITELIST,
    UNLIMITED_WHITELIST,
    CHAIN_HEAD,
    RECEIVE_HEADERS_TIMESTAMP,
    SVP_FUND_UNSIGNED,
    SVP_FUND_SIGNED,
    SVP_SPEND_UNSIGNED,
    SVP_SPEND_WAITING,
];

const FAMILIES: &[Family] = &[
    PROCESSED_HEIGHT,
    COINBASE_INFORMATION,
    PEGOUT_SIGNATURE_HASH,
    OUTPOINT_VALUES,
    HEADER_AT_HEIGHT,
    FLYOVER_USED,
    FLYOVER_FEDERATION,
];

const HASHED: &[Hashed] = &[
    UNION_ADDRESS,
    UNION_LOCKING_CAP,
    UNION_TRANSFERRED,
    UNION_REQUEST_ENABLED,
    UNION_RELEASE_ENABLED,
    SUPER_EVENT,
    BASE_EVENT,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// First ten bytes of the hash of the key, as bridge.md §2.2 lists them.
    fn trie10(key: U256) -> String {
        alloy_primitives::hex::encode(&keccak256(key.to_be_bytes::<32>())[..10])
    }

    #[test]
    fn keys_match_the_listed_trie_keys() {
        for (key, listed) in [
            (PROCESSED.key(), "61f9695c0ce36eadb258"),
            (REQUESTS.key(), "ecd35685a77a3a896674"),
            (REQUESTS_WITH_HASH.key(), "a24e949202d9be3222a6"),
            (CONFIRMATIONS.key(), "54ad5ca7e890d360f21c"),
            (CONFIRMATIONS_WITH_HASH.key(), "67a12b1a7aacb0b35180"),
            (SIGNATURES.key(), "fdb052b75b4736333170"),
            (NEXT_PEGOUT_HEIGHT.key(), "302fdb0d707978134515"),
            (NEW_UTXOS.key(), "21667b24ee2bd06aa44f"),
            (NEW_UTXOS_TESTNET_RSKIP284.key(), "fa613c272bf9eec599d0"),
            (NEW_UTXOS_TESTNET_RSKIP293.key(), "1c8dd12b584965bd5947"),
            (OLD_UTXOS.key(), "7f1e547d6ed11782e09a"),
            (NEW_FEDERATION.key(), "fa4bcb21a9c7ad954d19"),
            (NEW_FEDERATION_VERSION.key(), "0f5f03f387835f3c68dc"),
            (OLD_FEDERATION.key(), "c7b9bb76b4572f23a1a6"),
            (OLD_FEDERATION_VERSION.key(), "2d3f8ca07991ccd9baa8"),
            (PENDING_FEDERATION.key(), "35c78b7416c33605a81e"),
            (PENDING_FEDERATION_VERSION.key(), "92c32cadff20bef12585"),
            (PROPOSED_FEDERATION.key(), "15a9600a5ecbd4e7a5dc"),
            (PROPOSED_FEDERATION_VERSION.key(), "dcf9c9866f9e88216f50"),
            (ACTIVE_CREATION_HEIGHT.key(), "52e7bbf1eeb9356de7a0"),
            (NEXT_CREATION_HEIGHT.key(), "d18b50e71747bffeab3f"),
            (FEE_PER_KB.key(), "aaff9aceb024883f32ec"),
            (LOCKING_CAP.key(), "4af3b3243c7832b55df9"),
            (WHITELIST.key(), "d7cb5c291b216b2b2a10"),
            (UNLIMITED_WHITELIST.key(), "9d4dad35f9e469ddfe95"),
            (CHAIN_HEAD.key(), "d2a466bdac61533a723a"),
            (LAST_RETIRED_SCRIPT.key(), "e8892b1c599e61114124"),
            (FEDERATION_ELECTION.key(), "2ea7e84157aee8e1491d"),
            (FEE_ELECTION.key(), "51bdde52bbc978ed0a87"),
            (RECEIVE_HEADERS_TIMESTAMP.key(), "1bb8269509ade8cc9ef8"),
            (SVP_FUND_UNSIGNED.key(), "1f59d6d68df69327835a"),
            (SVP_FUND_SIGNED.key(), "832f06c2d87cb9f56b28"),
            (SVP_SPEND_UNSIGNED.key(), "33c0d9a4817c25456c4b"),
            (SVP_SPEND_WAITING.key(), "8ca7c793bd966aa57985"),
            (UNION_TRANSFERRED.key(), "11c45e1fd2dfccfcfaae"),
            (UNION_REQUEST_ENABLED.key(), "d017c50de994d3cc9f95"),
            (UNION_RELEASE_ENABLED.key(), "6863b735dadbb3c46ee1"),
            (UNION_ADDRESS.key(), "62d502cfefab51578b42"),
            (UNION_LOCKING_CAP.key(), "87eb0e3a92588b12d5ca"),
            (SUPER_EVENT.key(), "b15b3006e025633d0ced"),
            (BASE_EVENT.key(), "8f249607873fb9fb94ee"),
        ] {
            assert_eq!(trie10(key), listed);
        }
    }
}
