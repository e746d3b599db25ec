import { servePeer } from '../peer.ts';
import { runLoad } from './run-load.ts';

servePeer({ run: runLoad });
