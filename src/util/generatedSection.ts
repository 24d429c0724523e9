/**
 * The document with the text between `<!-- generated:NAME -->` and `<!-- end:NAME -->` replaced.
 * @throws RangeError when the document has no such section
 */
export function replaceGeneratedSection(document: string, name: string, content: string): string {
  const start = `<!-- generated:${name} -->`
  const end = `<!-- end:${name} -->`
  const from = document.indexOf(start)
  const to = document.indexOf(end)
  if (from < 0 || to < from) throw new RangeError(`no section ${name} in the document`)
  return `${document.slice(0, from + start.length)}\n${content.trim()}\n${document.slice(to)}`
}
