import type { MessageTemplate } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import { faultsOfValues } from './faults-of-values.ts';
import { findTemplates } from './template.repository.ts';
import type { TemplateRow } from './template.ts';

/**
 * The approved template of the channel that a request names.
 *
 * @throws AppError `template_not_found`, `template_not_approved`
 */
export async function findApproved(
  sql: Sql,
  storeId: string,
  channelId: string,
  { name, language }: MessageTemplate,
): Promise<TemplateRow> {
  const found = await findTemplates(sql, storeId, channelId, name);
  const template = found.find((one) => one.language === language);
  if (!template) {
    const languages = found.map((one) => `\`${one.language}\``).join(', ');
    const detail = `The channel has this template only in ${languages}. Use one of these languages.`;
    throw new AppError('template_not_found', found.length > 0 ? { detail } : {});
  }
  const { status } = template;
  if (status !== 'approved') throw new AppError('template_not_approved', { members: { current_status: status } });
  return template;
}

/** As `findApproved`. @throws AppError also `validation_failed`, with a fault for each value that does not fit */
export async function requireTemplate(
  sql: Sql,
  storeId: string,
  channelId: string,
  wanted: MessageTemplate,
): Promise<TemplateRow> {
  const template = await findApproved(sql, storeId, channelId, wanted);
  const faults = faultsOfValues(template, wanted.components ?? []);
  if (faults.length > 0) throw validationFailed(faults);
  return template;
}
