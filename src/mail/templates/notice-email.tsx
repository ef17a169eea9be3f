import { type EmailContent, headerText } from '../email.ts'
import {
  Button,
  Card,
  Heading,
  Letterhead,
  Paragraph,
  Rows,
  renderShell,
  Section,
  SmallPrint,
  WovenEdge,
} from './pieces.tsx'
import { texts } from './texts.ts'
import type { NoticeEmailView } from './views.ts'

export function renderNoticeEmail(view: NoticeEmailView): EmailContent {
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
      ...(view.link ? [`${view.link.text}: ${view.link.url}`, ''] : []),
      view.reason ?? texts.owner,
    ].join('\n'),
  }
}

const modeOf = (test: boolean | undefined) =>
  test === undefined ? '' : test ? 'Test mode' : 'Live mode'

const Body = ({ heading, paragraphs, facts, test, link, reason }: NoticeEmailView) => (
  <>
    <WovenEdge />
    <Letterhead from={{ name: texts.server }} what={modeOf(test)} />
    <Card>
      <Heading>{heading}</Heading>
      {paragraphs.map((paragraph) => (
        <Paragraph key={paragraph}>{paragraph}</Paragraph>
      ))}
      {link && <Button href={link.url} text={link.text} />}
      <Rows rows={facts.map(([name, value]) => ({ name, value }))} />
    </Card>
    <Section>
      <SmallPrint>{reason ?? texts.owner}</SmallPrint>
    </Section>
  </>
)
