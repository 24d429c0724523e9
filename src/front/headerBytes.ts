const text = new TextEncoder()

/**
 * Headers of every request, as bytes: the library takes them as they are, while it measures, copies and encodes a
 * string each time, which was 3 % of the time that the shortest request takes.
 */
export const CONTENT_TYPE: Uint8Array = text.encode('Content-Type')
export const APPLICATION_JSON: Uint8Array = text.encode('application/json')
