//! The `rskTracer` result of a transaction that runs no code: the reference's own objects (evm.md §6.1).

use rhizome_primitives::{Address, U256};

use super::json::JsonWriter;
use super::traced::Traced;
use crate::journal::Transfer;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Fields of a payment that always have the same value.
const PAYMENT_RESULT: &str = concat!(
    "\"programResult\":{\"hReturn\":\"\",\"exception\":null,\"revert\":false,\"codeChanges\":null,",
    "\"deleteAccounts\":null,\"internalTransactions\":null,\"logInfoList\":null,\"gasUsed\":0,",
    "\"futureRefund\":0,\"deductedRefund\":0,\"callCreateList\":null,\"maxGasUsed\":0,",
    "\"movedRemainingGasToChild\":false,\"callWithValuePerformed\":false,\"gasUsedBeforeRefunds\":0},",
    "\"codeAddress\":null,\"subtraces\":[]}"
);

/// Writes the transaction and the payments of the precompiled contract it calls.
pub(crate) fn write_transfer(json: &mut JsonWriter, traced: &Traced<'_>, payments: &[Transfer]) {
    let transaction = traced.transaction;
    json.raw("{\"programInvoke\":null,\"transferInvoke\":");
    let receiver = transaction.to.unwrap_or_default();
    let data = (!transaction.data.is_empty()).then_some(transaction.data.as_ref());
    write_invoke(json, receiver, transaction.sender.address(), transaction.value, data);
    json.raw(",\"subtraces\":[");
    let mut first = true;
    for payment in payments {
        json.separate(&mut first);
        json.raw("{\"traceType\":\"CALL\",\"callType\":\"CALL\",\"creationData\":null,\"creationMethod\":null,");
        json.raw("\"invokeData\":");
        write_invoke(json, payment.to, payment.from, payment.amount, Some(&[]));
        json.raw(",");
        json.raw(PAYMENT_RESULT);
    }
    json.raw("],\"result\":null,\"error\":null,\"reverted\":false}");
}

fn write_invoke(json: &mut JsonWriter, owner: Address, caller: Address, value: U256, data: Option<&[u8]>) {
    json.raw("{\"ownerAddress\":");
    json.word(&U256::from_be_slice(owner.as_slice()));
    json.raw(",\"callerAddress\":");
    json.word(&U256::from_be_slice(caller.as_slice()));
    json.raw(",\"gas\":0,\"callValue\":");
    json.word(&value);
    json.raw(",\"msgData\":");
    match data {
        Some(data) => json.raw(&format!("\"{}\"", base64(data))),
        None => json.raw("null"),
    }
    json.raw("}");
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for position in 0..4 {
            let digit = BASE64[(bits >> (18 - 6 * position) & 63) as usize];
            text.push(if position <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_pads() {
        assert_eq!(base64(b""), "");
        assert_eq!(base64(b"f"), "Zg==");
        assert_eq!(base64(b"fo"), "Zm8=");
        assert_eq!(base64(b"foobar"), "Zm9vYmFy");
    }
}
