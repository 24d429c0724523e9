/** The API key of a path: what follows the last slash; clients may write one more behind it. */
export function keyOfPath(path: string): string {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  return decode(path.slice(path.lastIndexOf('/', end - 1) + 1, end))
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
