import type { ComponentChild } from 'preact'
import type { Letter } from '../letter.ts'
import { displayName, headerText } from '../words.ts'
import { renderShell } from './shell.ts'
import { texts } from './texts.ts'
import type { LetterView } from './views.ts'

interface Content {
  subject: string
  /** What a mailbox shows beside the subject. */
  preview: string
  body: ComponentChild
  /** The same for whoever reads without HTML. */
  text: string
}

/** A letter from a merchant to a customer, which says so in its subject when it is a test. */
export function merchantLetter(
  { merchant, test }: LetterView,
  { subject: words, preview, body, text }: Content,
  language?: string,
): Letter {
  const subject = headerText(words)
  return {
    fromName: displayName(merchant.name),
    replyTo: merchant.email,
    subject: test ? texts.testSubject(subject) : subject,
    html: renderShell({ title: subject, color: merchant.color, language, preview, body }),
    text,
  }
}
