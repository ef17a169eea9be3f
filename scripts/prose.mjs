// Finds words in docs, comments, texts and test names that plain English avoids; see "English" in
// CONTRIBUTING.md. To allow one, write "prose-ok: REASON" on its line or on the line before.

import { globSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'

/**
 * A word, as a regular expression in which a space also matches a line break, and its replacement.
 */
const WORDS = [
  ['anew', 'again'],
  ['mend|mends|mended|mending', 'fix, correct'],
  ['under way', 'in progress'],
  ['tells? of|told of', 'reports, receives, sends'],
  ['whoever|whomever', 'anyone who …, or name them: payers, members'],
  ['(?<!(,|by|for|from|of|to|with) )whom', 'who, or name them: payers, members'],
  [
    '(?<!(any|none|one|some|no \\w+|no \\w+ \\w+) )of (its|their|his|her) own(?! \\w{5})',
    'its own …, separate',
  ],
  ['(?<!(ahead|any|instead|none|one|some) )of (ours|yours)', 'our, your'],
  ['begun', 'started'],
  ['in earnest', 'in production'],
  ['put aside', 'reserved'],
  ['what became of', 'the outcome of'],
  ['stands? (in(?! for)|at|on|there|under|below|beside)', 'is (in, at, on …)'],
  ['(are|be|been|is|was|were) had', 'has, receives'],
  ['bears?|borne', 'has, carries, paid by'],
  ['is there to', 'a verb that names the purpose'],
  ['let go of', 'released, deleted'],
  ['thereof|therein|thereby|hereby|lest|nought', 'a plain word'],
  ['e-mails?', 'email'],
  ['log in|login|log out|logout', 'sign in, sign-in, sign out'],
]

/** Strings that contain such a word for a reason. */
const ALLOWED = [
  'event: begun', // The name of a server-sent event.
  'log out leave', // Words that people use to search for "Sign out".
  'live login logout mailbox', // Reserved links.
]

/** Generated, or in another language. */
const EXCEPT = [/\/operations\.ts$/, /\/texts\/(fr|ha|ig|yo)\.ts$/, /^scripts\/prose\.mjs$/]

const words = WORDS.map(([pattern, write]) => ({
  write,
  pattern: new RegExp(`(?<![\\w./-])(${pattern.replaceAll(' ', '\\s+')})(?![\\w-])`, 'gi'),
}))
/**
 * Quickly tells whether a file needs a closer look. In comments, comment markers can stand between
 * words.
 */
const any = new RegExp(WORDS.map(([pattern]) => pattern.replaceAll(' ', '[\\s/*]+')).join('|'), 'i')

const exclude = (path) => /node_modules|dist$/.test(path)
const CODE = '{src,test,sdk,dashboard/src,bench,scripts,bin}/**/*.{ts,tsx,js,mjs}'
const paths = globSync(['*.md', 'docs/**/*.md', 'sdk/README.md', CODE], { exclude }).sort()

let count = 0
for (const path of paths.filter((one) => !EXCEPT.some((pattern) => pattern.test(one)))) {
  const text = readFileSync(path, 'utf8')
  if (!any.test(text)) continue
  let prose = path.endsWith('.md') ? ofMarkdown(text) : ofCode(path, text)
  for (const allowed of ALLOWED) prose = prose.replaceAll(allowed, blank)
  const lines = text.split('\n')
  for (const { pattern, write } of words) {
    for (const { index, 0: found } of prose.matchAll(pattern)) {
      const line = prose.slice(0, index).split('\n').length
      if (lines.slice(Math.max(0, line - 2), line).some((one) => /prose-ok: \S/.test(one))) continue
      count++
      console.log(`${path}:${line} "${found.replace(/\s+/g, ' ')}": write ${write}`)
    }
  }
}
if (count > 0) console.log(`${count} to rewrite; see "English" in CONTRIBUTING.md`)
process.exit(count > 0 ? 1 : 0)

function blank(part) {
  return part.replace(/[^\n]/g, ' ')
}

/** Blanks code in Markdown. */
function ofMarkdown(text) {
  return text.replace(/^```[\s\S]*?^```|`[^`\n]*`/gm, blank)
}

/**
 * Keeps comments, sentences in quotes and JSX text in their places. Replaces the code between them
 * with a character that no pattern matches, except for whitespace between the lines of a comment.
 */
function ofCode(path, text) {
  const { program, comments } = parseSync(path, text)
  const parts = comments.map(({ start, end }) => ({ start, end, isComment: true }))
  visit(program, ({ type, value, start, end }) => {
    const isSentence = type === 'Literal' && typeof value === 'string' && /\s/.test(value)
    if (isSentence || type === 'TemplateElement' || type === 'JSXText') parts.push({ start, end })
  })
  let prose = ''
  for (const { start, end, isComment } of parts.sort((a, b) => a.start - b.start)) {
    const gap = text.slice(prose.length, start)
    prose += /\S/.test(gap) ? gap.replace(/[^\n]/g, '\0') : gap
    const part = text.slice(start, end)
    prose += isComment ? part.replace(/^\/[/*]|^[ \t]*\*+|`[^`]*`/gm, blank) : part
  }
  return prose
}

/** Calls `look` with every node except those in tagged templates, which are SQL. */
function visit(node, look) {
  if (!node || node.type === 'TaggedTemplateExpression') return
  if (typeof node.type === 'string') look(node)
  for (const value of Object.values(node)) if (typeof value === 'object') visit(value, look)
}
