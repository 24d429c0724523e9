use super::*;

fn words(words: &[&str]) -> Vec<u8> {
    words.iter().flat_map(|word| crate::hex::decode(format!("{word:0>64}")).expect("hex")).collect()
}

fn text(bytes: &[u8]) -> String {
    decode_utf8(bytes)
}

#[test]
fn no_payload_reads_as_zeros_and_empty_arrays_only() {
    let types = [AbiType::Array(&AbiType::Bytes), AbiType::Int, AbiType::Bool, AbiType::Address];
    let zeros =
        [AbiValue::Array(Vec::new()), AbiValue::int(0), AbiValue::Bool(false), AbiValue::Address(Address::ZERO)];
    assert_eq!(decode(&types, &[]).as_deref(), Ok(&zeros[..]));
    assert_eq!(decode(&[AbiType::Int, AbiType::Array(&AbiType::Bytes)], &[]), Err(AbiError));
    for kind in [AbiType::Bytes, AbiType::String, AbiType::Bytes32] {
        assert_eq!(decode(&[kind], &[]), Err(AbiError));
    }
}

#[test]
fn offsets_and_lengths_are_the_low_32_bits_signed() {
    let dirty = words(&["ff00000000000000020", "1ff00000001", "aa"]);
    let mut payload = dirty.clone();
    payload[64] = 0xab;
    assert_eq!(decode(&[AbiType::Bytes], &payload), Ok(vec![AbiValue::Bytes(Bytes::from_static(&[0xab]))]));
    for bad in [words(&["ffffffe0", "0"]), words(&["20", "ffffffff"]), words(&["20", "7fffffff"]), words(&["20", "1"])]
    {
        assert_eq!(decode(&[AbiType::Bytes], &bad), Err(AbiError));
    }
    assert_eq!(decode(&[AbiType::Int], &[0; 31]), Err(AbiError));
}

#[test]
fn a_cut_head_of_a_dynamic_argument_is_filled_with_zeros() {
    assert_eq!(
        decode(&[AbiType::Int, AbiType::Array(&AbiType::Int)], &words(&["0"])),
        Ok(vec![AbiValue::int(0), AbiValue::Array(Vec::new())])
    );
    assert_eq!(decode(&[AbiType::Int, AbiType::Array(&AbiType::Int)], &[0; 31]), Err(AbiError));
}

#[test]
fn arrays_count_from_their_first_head() {
    let payload = words(&["20", "2", "40", "60", "0", "0"]);
    let empty = AbiValue::Bytes(Bytes::new());
    assert_eq!(
        decode(&[AbiType::Array(&AbiType::Bytes)], &payload),
        Ok(vec![AbiValue::Array(vec![empty.clone(), empty])])
    );
    let ints = words(&["20", "2", "1", "2"]);
    assert_eq!(
        decode(&[AbiType::Array(&AbiType::Int)], &ints),
        Ok(vec![AbiValue::Array(vec![AbiValue::int(1), AbiValue::int(2)])])
    );
    assert_eq!(decode(&[AbiType::Array(&AbiType::Int)], &words(&["20", "41"])), Err(AbiError));
    assert_eq!(decode(&[AbiType::Array(&AbiType::Int)], &words(&["20", "ffffffff"])), Err(AbiError));
}

#[test]
fn booleans_and_addresses_keep_the_quirks() {
    let ones = "f".repeat(64);
    let payload = words(&["100000000", &ones]);
    assert_eq!(
        decode(&[AbiType::Bool, AbiType::Address], &payload),
        Ok(vec![AbiValue::Bool(false), AbiValue::Address(Address::with_last_byte(0xff))])
    );
    assert_eq!(exact_i64(U256::MAX), Some(-1));
    assert_eq!(exact_i64(U256::from(u64::MAX)), None);
}

#[test]
fn malformed_text_is_replaced_sequence_by_sequence() {
    assert_eq!(text(b"a\xed\xa0\x80b"), "a\u{fffd}b");
    assert_eq!(text(b"\xed\xa0"), "\u{fffd}");
    assert_eq!(text(b"\xe1\x80"), "\u{fffd}");
    assert_eq!(text(b"\xf0\x9f\x98z"), "\u{fffd}z");
    assert_eq!(text(b"\xc0\x80"), "\u{fffd}\u{fffd}");
    assert_eq!(text("ok é 😀".as_bytes()), "ok é 😀");
}

#[test]
fn empty_contents_take_a_word_of_zeros() {
    assert_eq!(encode(&[AbiValue::Bytes(Bytes::new())]), words(&["20", "0", "0"]));
    assert_eq!(encode(&[AbiValue::Array(Vec::new())]), words(&["20", "0"]));
    let strings = AbiValue::Array(vec![AbiValue::String(String::new()), AbiValue::String("a".into())]);
    let mut expected = words(&["2a", "40", "2", "40", "80", "0", "0", "1", "0"]);
    expected[8 * 32] = b'a';
    assert_eq!(encode(&[AbiValue::int(42), strings]), expected);
    assert_eq!(encode(&[AbiValue::int(-1)]), [0xff; 32]);
}

#[test]
fn events_put_the_indexed_fields_into_topics() {
    let receiver = Address::repeat_byte(7);
    let signature = "pegin_btc(address,bytes32,int256,int256)";
    let indexed = [AbiValue::Address(receiver), AbiValue::Bytes32(B256::repeat_byte(1))];
    let log = event_log(Address::ZERO, signature, &indexed, &[AbiValue::int(5), AbiValue::int(1)]);
    let first = crate::b256!("44cdc782a38244afd68336ab92a0b39f864d6c0b2a50fa1da58cafc93cd2ae5a");
    assert_eq!(log.topics, [first, receiver.into_word(), B256::repeat_byte(1)]);
    assert_eq!(log.data, words(&["5", "1"]));
    assert_eq!(selector("getFederationSize()"), [0x80, 0x2a, 0xd4, 0xb6]);
}
