import type { Chance } from './chance.ts'
import { oddScalar, oddValue } from './oddJson.ts'

/**
 * JSON text of a value in which each part may be odd: replaced, left out, doubled, of another type, with hex
 * of another length or case.
 * @param rate probability of a change at each part
 */
export function mutatedText(chance: Chance, value: unknown, rate: number): string {
  if (chance.happens(rate)) return changed(chance, value)
  if (Array.isArray(value)) return `[${mutatedItems(chance, value, rate).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).flatMap(([key, member]) => {
      if (chance.happens(rate / 3)) return []
      const text = `${JSON.stringify(key)}:${mutatedText(chance, member, rate)}`
      return chance.happens(rate / 5) ? [text, `${JSON.stringify(key)}:${oddValue(chance)}`] : [text]
    })
    return `{${members.join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}

function mutatedItems(chance: Chance, items: readonly unknown[], rate: number): string[] {
  const texts = items.map((item) => mutatedText(chance, item, rate))
  if (chance.happens(rate / 2)) texts.pop()
  if (chance.happens(rate / 2)) texts.push(oddValue(chance))
  if (chance.happens(rate / 4)) texts.splice(chance.below(texts.length + 1), 0, oddScalar(chance))
  if (chance.happens(rate / 4)) texts.reverse()
  return texts
}

function changed(chance: Chance, value: unknown): string {
  if (typeof value === 'string' && chance.happens(0.6)) return JSON.stringify(changedText(chance, value))
  if (Array.isArray(value) && chance.happens(0.3)) {
    const item = JSON.stringify(value[0] ?? null)
    return `[${Array.from({ length: chance.pick([1, 2, 5, 200]) }, () => item).join(',')}]`
  }
  if (chance.happens(0.2)) return `[${JSON.stringify(value)}]`
  return oddValue(chance)
}

function changedText(chance: Chance, text: string): string {
  const at = chance.below(text.length + 1)
  switch (chance.below(9)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(at)
    case 2:
      return text.slice(0, at) + chance.pick(['g', ' ', '\u0000', '0', 'é', '-', '.']) + text.slice(at)
    case 3:
      return text.toUpperCase()
    case 4:
      return text.replace('0x', chance.pick(['', '0X', 'x', '0x0', '0x00']))
    case 5:
      return text + chance.hex(chance.pick([1, 2, 64]))
    case 6:
      return text.slice(0, at) + chance.hex(1) + text.slice(at + 1)
    case 7:
      return ` ${text} `
    default:
      return text.replace(/[0-9a-f]+$/, (digits) => chance.hex(digits.length))
  }
}
