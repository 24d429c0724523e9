/**
 * Position after the JSON value that begins at or after `start`, by its structure alone: whether the
 * value is JSON is for JSON.parse to say. null when it does not end.
 */
export function skipValue(text: string, start: number, maxDepth: number): number | 'tooDeep' | null {
  let position = skipSpace(text, start)
  let depth = 0
  while (position < text.length) {
    const character = text[position]
    if (character === '"') {
      const end = skipString(text, position)
      if (end === null) return null
      position = end
    } else if (character === '{' || character === '[') {
      depth += 1
      if (depth > maxDepth) return 'tooDeep'
      position += 1
    } else if (character === '}' || character === ']') {
      depth -= 1
      position += 1
    } else if (depth === 0) {
      return skipScalar(text, position)
    } else {
      position += 1
    }
    if (depth <= 0) return position
  }
  return null
}

/** Texts of an object's members by key, the last of equal keys; the text must be valid JSON. */
export function sliceMembers(object: string): Map<string, string> {
  const members = new Map<string, string>()
  forEachPart(object, (start, end) => {
    const keyStart = skipSpace(object, start)
    const keyEnd = skipString(object, keyStart) ?? keyStart
    const colon = object.indexOf(':', keyEnd)
    members.set(JSON.parse(object.slice(keyStart, keyEnd)) as string, object.slice(colon + 1, end).trim())
  })
  return members
}

/** Calls with the bounds of what stands between the commas of the outermost structure. */
function forEachPart(text: string, part: (start: number, end: number) => void): void {
  let depth = 0
  let start = 1
  for (let position = 0; position < text.length; position++) {
    const character = text[position]
    if (character === '"') {
      position = (skipString(text, position) ?? text.length) - 1
    } else if (character === '{' || character === '[') {
      depth += 1
    } else if (character === '}' || character === ']') {
      depth -= 1
      if (depth === 0 && text.slice(start, position).trim() !== '') part(start, position)
    } else if (character === ',' && depth === 1) {
      part(start, position)
      start = position + 1
    }
  }
}

/** Position after the string that begins at `start`; null when it does not end. */
function skipString(text: string, start: number): number | null {
  for (let position = start + 1; position < text.length; position++) {
    const character = text[position]
    if (character === '\\') position += 1
    else if (character === '"') return position + 1
  }
  return null
}

/** Position after a number or a word. */
function skipScalar(text: string, start: number): number {
  let position = start
  while (position < text.length && /[-+.0-9A-Za-z]/.test(text[position] ?? '')) position += 1
  // A character that begins no value is taken along, so that JSON.parse names it.
  return position === start ? start + 1 : position
}

/** Position of the first character at or after `start` that is no space. */
export function skipSpace(text: string, start: number): number {
  let position = start
  while (position < text.length && /[\s]/.test(text[position] ?? '')) position += 1
  return position
}
