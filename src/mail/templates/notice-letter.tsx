import type { Letter } from '../letter.ts'
import { headerText } from '../words.ts'
import { Card, Fine, Heading, Letterhead, Paragraph, Rows, Section, Weave } from './pieces.tsx'
import { renderShell } from './shell.ts'
import { texts } from './texts.ts'
import type { NoticeLetterView } from './views.ts'

/** To the owner of a business, from the server itself. */
export function noticeLetter(view: NoticeLetterView): Letter {
  const subject = headerText(view.heading)
  return {
    fromName: texts.server,
    replyTo: undefined,
    subject: view.test ? texts.testSubject(subject) : subject,
    html: renderShell({
      title: subject,
      preview: view.paragraphs[0] ?? '',
      body: <Body {...view} />,
    }),
    text: [
      view.heading,
      '',
      ...view.paragraphs.flatMap((paragraph) => [paragraph, '']),
      ...view.facts.map(([name, value]) => `${name}: ${value}`),
      '',
      texts.owner,
    ].join('\n'),
  }
}

const Body = ({ heading, paragraphs, facts, test }: NoticeLetterView) => (
  <>
    <Weave />
    <Letterhead name={texts.server} what={test ? 'Test mode' : 'Live mode'} />
    <Card>
      <Heading>{heading}</Heading>
      {paragraphs.map((paragraph) => (
        <Paragraph key={paragraph}>{paragraph}</Paragraph>
      ))}
      <Rows rows={facts.map(([name, value]) => ({ name, value }))} />
    </Card>
    <Section>
      <Fine>{texts.owner}</Fine>
    </Section>
  </>
)
