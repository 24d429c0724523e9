//! Proofs of accounts and cells as JSON text (decisions.md D42).

use rhizome_primitives::Bytes;
use rhizome_store::AccountProof;

use crate::json::{push_hex, push_number_bytes};

/// Bytes of a proof beside its nodes, and of a cell beside its own.
const FIELDS: usize = 512;
const CELL_FIELDS: usize = 256;

/// The proof of the account of an address as a JSON object.
pub fn proof_text(address: &[u8], proof: &AccountProof) -> Vec<u8> {
    let length = |nodes: &[Bytes]| nodes.iter().map(|node| 2 * node.len() + 5).sum::<usize>();
    let cells = proof.cells.iter().map(|cell| length(&cell.proof) + CELL_FIELDS).sum::<usize>();
    let mut out = Vec::with_capacity(FIELDS + length(&proof.proof) + cells);
    let account = proof.account.unwrap_or_default();
    out.extend_from_slice(br#"{"address":"0x"#);
    push_hex(&mut out, address);
    out.extend_from_slice(br#"","balance":"0x"#);
    push_number_bytes(&mut out, &account.balance.shown().to_be_bytes::<32>());
    out.extend_from_slice(br#"","codeHash":"0x"#);
    push_hex(&mut out, proof.code_hash.as_slice());
    out.extend_from_slice(br#"","nonce":"0x"#);
    push_number_bytes(&mut out, &account.nonce.to_be_bytes::<32>());
    out.extend_from_slice(br#"","storageHash":"0x"#);
    push_hex(&mut out, proof.storage_hash.as_slice());
    out.extend_from_slice(br#"","accountProof":"#);
    push_nodes(&mut out, &proof.proof);
    out.extend_from_slice(br#","storageProof":["#);
    for (index, cell) in proof.cells.iter().enumerate() {
        out.extend_from_slice(if index == 0 { br#"{"key":"0x"# } else { br#",{"key":"0x"# });
        push_number_bytes(&mut out, &cell.slot.to_be_bytes::<32>());
        out.extend_from_slice(br#"","value":"0x"#);
        push_number_bytes(&mut out, cell.value.as_ref().map_or(&[][..], |value| value));
        out.extend_from_slice(br#"","proof":"#);
        push_nodes(&mut out, &cell.proof);
        out.push(b'}');
    }
    out.extend_from_slice(b"]}");
    out
}

fn push_nodes(out: &mut Vec<u8>, nodes: &[Bytes]) {
    out.push(b'[');
    for (index, node) in nodes.iter().enumerate() {
        out.extend_from_slice(if index == 0 { br#""0x"# } else { br#","0x"# });
        push_hex(out, node);
        out.push(b'"');
    }
    out.push(b']');
}
