/** Headers of one request and the step of skeletons (p2p.md §4 Limits). */
export const CHUNK_HEADERS = 192

/** Announced blocks further above the best than this are ignored (p2p.md §4 Limits). */
export const ADVANCED_BLOCKS = 3840

/** Number of blocks by which the network must be ahead for announcements to be ignored (p2p.md §6). */
export const FAR_BEHIND = 24

/** Blocks of one SNAP_BLOCKS_RESPONSE, which are below the requested height (p2p.md §5). */
export const SNAP_BLOCKS = 400

/** Most blocks and bytes of one response of the capability `rhizome` (p2p.md §11). */
export const RANGE_BLOCKS = 1024
export const RANGE_BYTES = 4 * 1024 * 1024

/** Reasons of DISCONNECT that are used here (p2p.md §3). */
export const BAD_PROTOCOL = 0x02
export const USELESS_PEER = 0x03
