/** @import { AbiType, AbiValue } from './abi.js' */
import { bytesOfHex } from '../chain/text.js'
import { AbiError, headBytes, isDynamic } from './types.js'

const WORD = 32
/** Values of one list, however they are nested: data may claim any number of values that take no bytes. */
const MAX_VALUES = 2000

/**
 * The values of encoded data. Strict: what no compiler would have written is none, so that data of another contract is
 * not taken for that of this one.
 * @param {readonly AbiType[]} types
 * @param {string} hex 0x-hex
 * @returns {readonly AbiValue[] | null} null when the data is not of these types
 */
export function decodeValues(types, hex) {
  try {
    return new Decoder(bytesOfHex(hex)).list(types, 0)
  } catch (error) {
    if (error instanceof AbiError) return null
    throw error
  }
}

class Decoder {
  #bytes
  #left = MAX_VALUES

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.#bytes = bytes
  }

  /**
   * @param {readonly AbiType[]} types
   * @param {number} start where heads begin, and what offsets count from
   * @returns {AbiValue[]}
   */
  list(types, start) {
    let head = start
    return types.map((type) => {
      const at = isDynamic(type) ? start + this.#size(head) : head
      head += headBytes(type)
      return this.#value(type, at)
    })
  }

  /**
   * @param {AbiType} type
   * @param {number} at
   * @returns {AbiValue}
   */
  #value(type, at) {
    this.#left -= 1
    if (this.#left < 0) throw new AbiError('too many values')
    switch (type.kind) {
      case 'uint':
        return this.#number(at, 0n, 1n << BigInt(type.bits))
      case 'int':
        return this.#number(at, -(1n << BigInt(type.bits - 1)), 1n << BigInt(type.bits - 1))
      case 'bool':
        return this.#number(at, 0n, 2n) === 1n
      case 'address':
        return `0x${this.#number(at, 0n, 1n << 160n)
          .toString(16)
          .padStart(40, '0')}`
      case 'bytes':
        return type.size === null ? hexOf(this.#counted(at)) : this.#fixedBytes(at, type.size)
      case 'string':
        return new TextDecoder().decode(this.#counted(at))
      case 'tuple':
        return this.list(
          type.items.map((item) => item.type),
          at,
        )
      case 'array':
        return this.#array(type.item, type.length, at)
    }
  }

  /**
   * @param {AbiType} item
   * @param {number | null} length
   * @param {number} at
   */
  #array(item, length, at) {
    const count = length ?? this.#size(at)
    if (count > this.#left) throw new AbiError('too many values')
    return this.list(Array(count).fill(item), length === null ? at + WORD : at)
  }

  /**
   * @param {number} at
   * @param {bigint} least
   * @param {bigint} end
   */
  #number(at, least, end) {
    const unsigned = BigInt(hexOf(this.#slice(at, WORD)))
    const value = least < 0n ? BigInt.asIntN(256, unsigned) : unsigned
    if (value < least || value >= end) throw new AbiError('a number is out of range')
    return value
  }

  /** An offset or a length. @param {number} at */
  #size(at) {
    return Number(this.#number(at, 0n, BigInt(this.#bytes.length) + 1n))
  }

  /** @param {number} at */
  #counted(at) {
    return this.#slice(at + WORD, this.#size(at))
  }

  /**
   * @param {number} at
   * @param {number} size
   */
  #fixedBytes(at, size) {
    const word = this.#slice(at, WORD)
    if (word.subarray(size).some((byte) => byte !== 0)) throw new AbiError('bytes are too long')
    return hexOf(word.subarray(0, size))
  }

  /**
   * @param {number} start
   * @param {number} length
   */
  #slice(start, length) {
    if (start + length > this.#bytes.length) throw new AbiError('the data is too short')
    return this.#bytes.subarray(start, start + length)
  }
}

/** @param {Uint8Array} bytes */
function hexOf(bytes) {
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
