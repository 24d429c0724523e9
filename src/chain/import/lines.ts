/** A line of a file without its line ending. */
export interface Line {
  readonly text: string
  /** From 1 on. */
  readonly number: number
  /** Bytes of the file up to the end of the line, its line feed included. */
  readonly offset: number
}

const LINE_FEED = 0x0a

/** The lines of a stream of bytes; empty ones are left out. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line, void, void> {
  let parts: Buffer[] = []
  let number = 0
  let offset = 0
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const bytes = Buffer.concat([...parts, chunk.subarray(start, end)])
      parts = []
      start = end + 1
      number += 1
      offset += bytes.length + 1
      const text = bytes.toString('utf8').trim()
      if (text !== '') yield { text, number, offset }
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  }
  const last = Buffer.concat(parts)
  const text = last.toString('utf8').trim()
  if (text !== '') yield { text, number: number + 1, offset: offset + last.length }
}
