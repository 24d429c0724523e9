//! Parts of the Bridge that recorded vectors and tools use separately: cells, federations, the set of peg-outs that
//! wait for confirmations, and storage as a single call sees it.

pub use crate::federation::codec::{
    decode as decode_federation, decode_pending, encode as encode_federation, encode_pending, format_of, version,
};
pub use crate::federation::script::flyover as flyover_script;
pub use crate::federation::{Federation, FederationMember, MemberKey};
pub use crate::pegin::instructions::{Instructions, InvalidPayload, VERSION, instructions};
pub use crate::pegin::sender::{Sender, SenderKind, sender};
pub use crate::pegout::confirmations::ConfirmationSet;
pub use crate::storage::Frame;
pub use crate::storage::codec::{coin_cell, encode_bytes, encode_long, encode_wei, hash_cell, long_cell, wei_cell};
pub use crate::storage::confirmations::{
    WaitingPegout, decode_confirmations, decode_confirmations_with_hash, encode_confirmations,
};
pub use crate::storage::elections::{CallSpec, Election};
pub use crate::storage::federations::{decode_script, encode_script};
pub use crate::storage::flyover::FlyoverFederation;
pub use crate::storage::keys::key_of;
pub use crate::storage::processed::{decode_processed, decode_witness_root, encode_processed, encode_witness_root};
pub use crate::storage::releases::{decode_outpoint_values, encode_outpoint_values};
pub use crate::storage::requests::{ReleaseRequest, decode_requests, decode_requests_with_hash, encode_requests};
pub use crate::storage::signatures::WaitingForSignatures;
pub use crate::storage::svp::{decode_signed_fund, decode_spend_waiting, encode_spend_waiting};
pub use crate::storage::union::decode_address;
pub use crate::storage::utxo_list::Utxos;
pub use crate::storage::utxos::{Utxo, decode_utxos, encode_utxos};
pub use crate::storage::whitelist::{Allowance, Whitelist};
pub use crate::wallet::size::pegout_size;
pub use crate::wallet::{BuildError, FederationKeys, Release, ReleaseBuilder, WalletKeys, balance};
