import { Circle, CircleCheck, CircleDot, CircleX, type LucideIcon } from 'lucide-react';
import type { LeadStatus } from '../api/platform.ts';
import { Badge } from '../ui/badge.tsx';
import { wordsOfStatus } from './words.ts';

const looks: Readonly<Record<LeadStatus, { icon: LucideIcon; kind?: 'good' | 'warn' | 'bad' }>> = {
  pending: { icon: Circle },
  in_progress: { icon: CircleDot, kind: 'warn' },
  converted: { icon: CircleCheck, kind: 'good' },
  lost: { icon: CircleX, kind: 'bad' },
};

export function LeadStatusBadge({ status }: { status: LeadStatus }) {
  const { icon: Icon, kind } = looks[status];
  return (
    <Badge kind={kind} icon={<Icon size={12} aria-hidden />}>
      {wordsOfStatus(status)}
    </Badge>
  );
}
