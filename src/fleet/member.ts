/** Id of a member: 16 hex digits, random, kept in its data directory. */
export type MemberId = string

/** The form of an id of a member. */
export const MEMBER_ID = /^[0-9a-f]{16}$/
