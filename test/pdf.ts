import { inflateSync } from 'node:zlib'

/** Returns the content of a PDF, with its compressed streams unpacked. */
export function contents(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  const packed = [...text.matchAll(/stream\n([\s\S]*?)\nendstream/g)].map(([, part]) =>
    unpacked(part!),
  )
  return text + packed.join('\n')
}

function unpacked(part: string): string {
  try {
    return inflateSync(Buffer.from(part, 'latin1')).toString('latin1')
  } catch {
    return ''
  }
}

export const pagesOf = (bytes: Buffer): number | undefined =>
  contents(bytes).match(/\/Type \/Page\b(?!s)/g)?.length

/** Returns the text of one of our PDFs as a reader would copy it, one piece per line. */
export function textOf(bytes: Buffer): string {
  const objects = new Map<string, string>()
  for (const [, id = '', body = ''] of bytes
    .toString('latin1')
    .matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)) {
    objects.set(id, body)
  }
  const streamOf = (id: string) =>
    unpacked(/stream\n([\s\S]*?)\nendstream/.exec(objects.get(id) ?? '')?.[1] ?? '')
  const fonts = new Map<string, Map<string, string>>()
  for (const body of objects.values()) {
    for (const [, name = '', font = ''] of body.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const [, map = ''] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(font) ?? '') ?? []
      fonts.set(name, lettersOf(streamOf(map)))
    }
  }
  const lines: string[] = []
  for (const id of objects.keys()) {
    let letters = new Map<string, string>()
    for (const [, font, shown] of streamOf(id).matchAll(/\/(F\d+) \S+ Tf|\[(<[^\]]*)\] TJ/g)) {
      if (font) letters = fonts.get(font) ?? letters
      else lines.push(readIn(letters, shown!))
    }
  }
  return lines.join('\n')
}

function readIn(letters: Map<string, string>, shown: string): string {
  const codes = [...shown.matchAll(/<([^>]*)>/g)].map(([, hex]) => hex).join('')
  return (codes.match(/.{4}/g) ?? []).map((code) => letters.get(code) ?? '?').join('')
}

/** Returns the characters of each code of a font. */
function lettersOf(map: string): Map<string, string> {
  const letters = new Map<string, string>()
  for (const [, first = '', list = ''] of map.matchAll(/<([\da-f]+)> <[\da-f]+> \[([^\]]*)\]/gi)) {
    const meant = list.match(/<[^>]*>/g) ?? []
    for (const [i, hex] of meant.entries()) {
      const code = (Number.parseInt(first, 16) + i).toString(16).padStart(4, '0')
      const utf16 = Buffer.from(hex.replace(/[<> ]/g, ''), 'hex').swap16()
      letters.set(code, utf16.toString('utf16le'))
    }
  }
  return letters
}
