const LONGEST = 240

/** What can be read, of at least four characters. */
const RUNS = /[\p{L}\p{N}\p{P}\p{Sm}\p{Sc} ]{4,}/gu

/** Controls, and marks that turn or hide what stands around them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu

/**
 * Text that anybody may have put into the chain, fit to be shown: what cannot be seen is written as its number,
 * and very long text is cut.
 * @param {string} text
 * @param {number} [longest] characters
 */
export function visibleText(text, longest = LONGEST) {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text
  return cut.replaceAll(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

/** The bytes of 0x-hex. @param {string} hex */
export function bytesOfHex(hex) {
  return Uint8Array.from(hex.slice(2).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/**
 * The text in bytes that hold some UTF-8 among others; null when there is none of a few characters.
 * @param {string} hex
 */
export function textInHex(hex) {
  const runs = new TextDecoder().decode(bytesOfHex(hex)).match(RUNS) ?? []
  return runs.length === 0 ? null : runs.join(' ')
}
