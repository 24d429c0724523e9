/** Service of the leader that grants cost units (fleet.md §10). */
export const GRANT_SERVICE = 'grant'

/** Service of every member that tells the usage of the fleet (fleet.md §10). */
export const USAGE_SERVICE = 'usage'

/** Service of the front thread for the fleet thread: looks at the keys at once. */
export const KEYS_SERVICE = 'keys'
