/** Beyond this many characters a document is shown in one ink: each coloured piece is an element. */
const COLOURED_MAX = 30_000
const PIECES =
  /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi

/** A JSON document with its strings, numbers and constants told apart by colour. */
export function Coloured({ json }: { json: string }) {
  if (json.length > COLOURED_MAX || !/^\s*[[{]/.test(json)) return json
  const pieces: React.ReactNode[] = []
  let end = 0
  for (const { 0: piece, 1: text, 2: colon, index } of json.matchAll(PIECES)) {
    if (index > end) pieces.push(json.slice(end, index))
    end = index + piece.length
    // A name is in the ink of the page, and so stands out from what it has.
    if (colon !== undefined) pieces.push(piece)
    else {
      pieces.push(
        <span key={index} className={text ? 'json-text' : 'json-value'}>
          {piece}
        </span>,
      )
    }
  }
  pieces.push(json.slice(end))
  return pieces
}
