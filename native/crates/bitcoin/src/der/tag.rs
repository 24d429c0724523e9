//! Numbers of the universal tags whose contents are parsed.

pub(super) const BOOLEAN: i32 = 1;
pub(super) const INTEGER: i32 = 2;
pub(super) const BIT_STRING: i32 = 3;
pub(super) const OCTET_STRING: i32 = 4;
pub(super) const NULL: i32 = 5;
pub(super) const OBJECT_IDENTIFIER: i32 = 6;
pub(super) const EXTERNAL: i32 = 8;
pub(super) const ENUMERATED: i32 = 10;
pub(super) const UTF8_STRING: i32 = 12;
pub(super) const SEQUENCE: i32 = 16;
pub(super) const SET: i32 = 17;
pub(super) const NUMERIC_STRING: i32 = 18;
pub(super) const GENERAL_STRING: i32 = 27;
pub(super) const UNIVERSAL_STRING: i32 = 28;
pub(super) const BMP_STRING: i32 = 30;
